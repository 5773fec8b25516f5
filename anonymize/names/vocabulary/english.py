"""Words of English company names: syllables of brands, words of each GICS sector, legal forms.

General vocabulary of the trades, chosen by us; real companies were looked at only to refuse famous brands.
"""

from anonymize.names.vocabulary import Lexicon, Trade, words

_VOWELS = "aeiou"
_ONSETS = words("b br c cl cr d dr f fl g gl gr h j k l m n p pl pr r s sc sl sp st str t tr v w z")
_INNER = words("b c d f g k l m n p r s t v x z")
_CODAS = ("", "n", "r", "s", "l", "x", "m", "d", "nt")

# NOTE: a syllable has one vowel with consonants before it, so a brand falls into syllables in one way.
FIRST_SYLLABLES = tuple(onset + vowel for onset in _ONSETS for vowel in _VOWELS)
MIDDLE_SYLLABLES = tuple(consonant + vowel for consonant in _INNER for vowel in _VOWELS)
LAST_SYLLABLES = tuple(consonant + vowel + coda for consonant in _INNER for vowel in _VOWELS for coda in _CODAS)

_FAMOUS_BRANDS = words(
    """
    adidas adobe airbus allianz alphabet amazon apple audi bayer bosch boeing canon cargill carrefour cisco citi
    coca colgate costco danone dell delta disney ericsson exxon facebook ferrari fiat ford fuji google gucci
    heineken hilton hitachi honda hyundai ibm ikea intel kellogg kia kodak kraft lego lenovo loreal marriott
    mazda merck meta michelin micron microsoft mobil moderna monsanto nasdaq nestle netflix nike nikon nintendo
    nissan nokia novartis nvidia oracle pepsi pfizer philips porsche prada puma ricoh roche rolex samsung sanofi
    shell siemens sony spotify starbucks subaru suzuki target tesla texaco toyota twitter uber unilever verizon
    visa vodafone volvo walmart xerox zara anus cunt fuck homo nazi negro nigga nude penis porn puta rape rectum
    sexi shit slave slut terror titi turd whore
    """
)
"""Well-known brands, and words that no company would have in its name: no invented brand holds one."""


def _trade(business: str, products: str) -> Trade:
    return Trade({word: word for word in business.split(", ")}, tuple(products.split(", ")))


_ANY_TRADE = _trade(
    "Industries, Enterprises, International, Partners, Resources, Associates, Works",
    "Suite, Series, Platform, Kit, Care Plan, Edition",
)

_TRADES = {
    "Consumer Discretionary": _trade(
        "Retail, Apparel, Leisure, Motors, Homes, Brands, Hospitality, Outfitters, Restaurants",
        "Sneaker, Tent, Roadster, Grill, Resort Pass, Jacket",
    ),
    "Consumer Staples": _trade(
        "Foods, Beverages, Household Products, Farms, Provisions, Personal Care, Grocers",
        "Cereal, Soap, Sparkling Water, Snack Bar, Detergent, Coffee",
    ),
    "Energy": _trade(
        "Energy, Petroleum, Exploration, Drilling, Midstream, Oilfield Services, Pipelines",
        "Lubricant, Drill Bit, Compressor, Premium Fuel, Wellhead, Separator",
    ),
    "Financials": _trade(
        "Financial, Bancorp, Insurance, Capital, Asset Management, Trust, Assurance",
        "Savings Account, Index Fund, Term Policy, Credit Card, Annuity, Broker Desk",
    ),
    "Health Care": _trade(
        "Pharmaceuticals, Health, Medical, Therapeutics, Biosciences, Diagnostics, Surgical",
        "Infusion Pump, Tablet, Test Kit, Stent, Inhaler, Scanner",
    ),
    "Industrials": _trade(
        "Industrial, Aerospace, Machinery, Engineering, Logistics, Rail, Controls, Building Systems",
        "Turbine, Loader, Valve, Actuator, Gearbox, Conveyor",
    ),
    "Information Technology": _trade(
        "Software, Systems, Semiconductor, Networks, Technologies, Data, Electronics, Micro Devices",
        "Cloud Console, Chipset, Router, Analytics Studio, Storage Array, Security Gateway",
    ),
    "Materials": _trade(
        "Chemicals, Materials, Metals, Packaging, Minerals, Paper, Coatings",
        "Resin, Alloy, Adhesive, Cartonboard, Pigment, Fertilizer",
    ),
    "Real Estate": _trade(
        "Realty, Properties, Residential, Office Trust, Land, Storage, Estates",
        "Tower, Business Park, Apartments, Storage Center, Mall, Campus",
    ),
    "Telecommunications Services": _trade(
        "Telecom, Communications, Wireless, Broadband, Fiber, Telephone",
        "Mobile Plan, Home Internet, Voice Line, Roaming Card, Hotspot, Message Service",
    ),
    "Communication Services": _trade(
        "Media, Communications, Broadcasting, Interactive, Publishing, Studios",
        "Channel, Streaming Pass, Game, Magazine, Podcast, Mobile Plan",
    ),
    "Utilities": _trade(
        "Power, Electric, Gas, Water, Utilities, Light & Power, Renewables",
        "Smart Meter, Green Tariff, Heat Plan, Supply Contract, Charging Point, Solar Lease",
    ),
}
"""Words of each GICS sector (2016 names and their successors)."""

LEXICON = Lexicon(
    gap=" ",
    trades=_TRADES,
    any_trade=_ANY_TRADE,
    legal_forms=("Inc.", "Corp.", "Corporation", "Company", "Group", "Group Inc.", "Holdings", "Holdings Inc.", "plc"),
    subsidiary_roles=(
        "Sales",
        "Trading",
        "Procurement",
        "Distribution Services",
        "Field Services",
        "Shared Services",
        "Leasing",
        "Engineering Services",
        "Testing Services",
        "Training",
        "Ventures",
        "Workshops",
        "Licensing",
        "Depot",
    ),
    subsidiary_form="LLC",
    famous_brands=_FAMOUS_BRANDS,
)
