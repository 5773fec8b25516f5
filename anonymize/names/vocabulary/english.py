"""Words of English company names: syllables of brands, words of each GICS sector, legal forms.

General vocabulary of the trades, chosen by us; real companies were looked at only to refuse their brands.
"""

from anonymize.names.vocabulary import Lexicon, trade, trades, words

_VOWELS = "aeiou"
_ONSETS = ("", *"bcdfghjklmnprstvwz")
_CLUSTERS = words("bl br cl cr dr fl fr gl gr pl pr sp st tr")
_FIRST_CODAS = ("", "l", "n", "r")
_INNER = words("b c d f g k l m n p r s t v")
_RHYMES = words("a o ia io an en in on ar er or as is us os al el ex ix am em um ent ant")

# One consonant begins every syllable but the first, so that a brand divides into syllables in one way only.
FIRST_SYLLABLES = (
    *(onset + vowel + coda for onset in _ONSETS for vowel in _VOWELS for coda in _FIRST_CODAS),
    *(cluster + vowel for cluster in _CLUSTERS for vowel in _VOWELS),
)
MIDDLE_SYLLABLES = tuple(consonant + vowel for consonant in _INNER for vowel in _VOWELS)
LAST_SYLLABLES = tuple(consonant + rhyme for consonant in _INNER for rhyme in _RHYMES)

_FAMOUS_BRANDS = words(
    """
    adidas adobe agilent airbus alcatel allianz alphabet amazon ameren antero apple audi avalon aveva bayer
    boeing bosch cadila canon cardinal cargill carnival carrefour carvana celera celeron cimarex cisco citi coca
    colgate corona corteva costco danone davita dell delta dennison disney domino doritos edison endesa ericsson
    exxon facebook ferrari ferrero fiat ford fuji gamesa google gucci hannifin haribo heineken hilton hitachi
    honda humana humira hyundai ibm ikea intel januvia juniper kellogg kia kodak konica kraft kubota lego lenovo
    lipitor loreal marriott mazda mercado merck merisel meritor meta michelin micron microsoft mobil moderna
    monsanto murata nasdaq natera nestle netflix nike nikola nikon nintendo nissan nokia nomura novartis nvidia
    oracle pandora panera pepsi perrigo pfizer philips polaris porsche prada prologis puma renesas ricoh ricola
    ritalin roche rolex salomon samsung sanofi shell siemens sirona solaris sonoco sony spotify starbucks
    stelara subaru suzuki takeda target telenor tenaris tenneco tesla tesoro texaco toyota twitter uber unilever
    uniper valero ventolin veritas verizon vicodin visa vitamix vodafone volvo vornado walmart xerox zara
    """
)
_PLACES = words(
    """
    barbados bermuda bolivia bulgaria canada cordoba dakota florida geneva havana manila milano modena monaco
    montana nevada oregon panama portugal romania senegal somalia toledo torino verona
    """
)
_OTHER_WORDS = words(
    """
    animal anus banana cameron cancer capital coon criminal cunt dago digital dildo ebola fagot federal fuck
    funeral general hitler homo kike lenin malaria mandela medical mineral natural nazi negro nigga nominal nude
    obama pedo penis porn potato president puta putin rape rectum satan semen seminal senator sexi shit slave
    slut solomon stalin surgical terminal terror titi tomato tumor turd virus wank whore
    """
)
"""Brands, places, words and people that no invented brand may contain.

Brands, places and ordinary words are here if the syllables above can make them, or if they are among the best known.
"""


_ANY_TRADE = trade(
    "Industries, Enterprises, International, Partners, Resources, Associates, Works",
    "Suite, Series, Platform, Kit, Care Plan, Edition",
)

_TRADES = trades(
    """
Consumer Discretionary
  Retail, Apparel, Leisure, Motors, Homes, Brands, Hospitality, Outfitters, Restaurants
  Sneaker, Tent, Roadster, Grill, Resort Pass, Jacket
Consumer Staples
  Foods, Beverages, Household Products, Farms, Provisions, Personal Care, Grocers
  Cereal, Soap, Sparkling Water, Snack Bar, Detergent, Coffee
Energy
  Energy, Petroleum, Exploration, Drilling, Midstream, Oilfield Services, Pipelines
  Lubricant, Drill Bit, Compressor, Premium Fuel, Wellhead, Separator
Financials
  Financial, Bancorp, Insurance, Capital, Asset Management, Trust, Assurance
  Savings Account, Index Fund, Term Policy, Credit Card, Annuity, Broker Desk
Health Care
  Pharmaceuticals, Health, Medical, Therapeutics, Biosciences, Diagnostics, Surgical
  Infusion Pump, Tablet, Test Kit, Stent, Inhaler, Scanner
Industrials
  Industrial, Aerospace, Machinery, Engineering, Logistics, Rail, Controls, Building Systems
  Turbine, Loader, Valve, Actuator, Gearbox, Conveyor
Information Technology
  Software, Systems, Semiconductor, Networks, Technologies, Data, Electronics, Micro Devices
  Cloud Console, Chipset, Router, Analytics Studio, Storage Array, Security Gateway
Materials
  Chemicals, Materials, Metals, Packaging, Minerals, Paper, Coatings
  Resin, Alloy, Adhesive, Cartonboard, Pigment, Fertilizer
Real Estate
  Realty, Properties, Residential, Office Trust, Land, Storage, Estates
  Tower, Business Park, Apartments, Storage Center, Mall, Campus
Telecommunications Services
  Telecom, Communications, Wireless, Broadband, Fiber, Telephone
  Mobile Plan, Home Internet, Voice Line, Roaming Card, Hotspot, Message Service
Communication Services
  Media, Communications, Broadcasting, Interactive, Publishing, Studios
  Channel, Streaming Pass, Game, Magazine, Podcast, Mobile Plan
Utilities
  Power, Electric, Gas, Water, Utilities, Light & Power, Renewables
  Smart Meter, Green Tariff, Heat Plan, Supply Contract, Charging Point, Solar Lease
"""
)
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
    famous_brands=(*_FAMOUS_BRANDS, *_PLACES, *_OTHER_WORDS),
)
