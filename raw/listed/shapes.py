"""What the real tables of listed companies are like: sectors, places, calendars, how names are formed. Data only.

Numbers are shares, medians and spreads of the public tables (CC0), rounded; no figure or name of a company is among them.
Sectors and sub-industries are those of the Global Industry Classification Standard, written as the tables write them.
"""


def _weights(text: str) -> dict[str, int]:
    """Read `name 3; name 1`."""
    counted = (each.rpartition(" ") for each in " ".join(text.split()).split("; "))
    return {name: int(number) for name, _, number in counted}


COMPANIES = _weights("""
    Consumer Discretionary 81; Consumer Staples 37; Energy 36; Financials 64; Health Care 59; Industrials 69;
    Information Technology 67; Materials 25; Real Estate 29; Telecommunications Services 5; Utilities 28
""")
"""Companies of each sector."""

ACCOUNT_SHAPES = ("revenue", "spread", "assets", "assets_spread", "debt", "research", "stock", "current")

ACCOUNTS = {
    "Consumer Discretionary": (22.9, 0.96, -0.08, 0.56, 0.6, 0.03, 0.85, 0.96),
    "Consumer Staples": (23.4, 1.6, -0.03, 0.67, 0.65, 0.14, 1.0, 1.0),
    "Energy": (23.2, 1.48, 1.14, 0.89, 0.56, 0.06, 0.81, 1.0),
    "Financials": (23.0, 1.15, 2.14, 1.0, 0.87, 0.02, 0.04, 0.11),
    "Health Care": (22.8, 1.31, 0.48, 0.67, 0.58, 0.69, 0.9, 0.9),
    "Industrials": (23.0, 1.02, 0.16, 0.54, 0.63, 0.21, 0.82, 1.0),
    "Information Technology": (22.3, 1.15, 0.59, 0.42, 0.51, 0.79, 0.6, 1.0),
    "Materials": (23.0, 0.76, 0.39, 0.47, 0.66, 0.51, 1.0, 1.0),
    "Real Estate": (21.4, 0.75, 2.04, 0.62, 0.62, 0.05, 0.04, 0.26),
    "Telecommunications Services": (23.6, 1.4, 0.99, 0.27, 0.73, 0.0, 0.2, 1.0),
    "Utilities": (23.1, 0.61, 1.31, 0.19, 0.71, 0.0, 1.0, 1.0),
}
"""Of each sector: the median of the logarithm of revenue (dollars) and its spread; the same of assets over revenue; the median
of liabilities over assets; shares of companies that report research, inventory, and what of the balance sheet is current."""

TRADES = {
    "Consumer Discretionary": "Stores, Brands, Hotels, Motors, Outfitters, Media, Homes, Restaurants, Apparel, Cruises",
    "Consumer Staples": "Foods, Beverage, Brewing Company, Products, Markets, Mills, Household Products",
    "Energy": "Energy, Petroleum, Resources, Oil & Gas, Drilling, Oilwell",
    "Financials": "Financial, Bancorp, Insurance, Bancshares, Trust, Capital, Financial Services",
    "Health Care": "Health, Pharmaceuticals, Laboratories, Scientific, Medical, Surgical, Therapeutics, Diagnostics",
    "Industrials": "Industries, Air Lines, Transport, Systems, Automation, Controls, Railways, Aerospace, Worldwide",
    "Information Technology": "Systems, Technology, Networks, Microsystems, Software, Semiconductor, Data, Solutions",
    "Materials": "Chemical, Materials, Paper, Mining, Steel, Packaging, Gases",
    "Real Estate": "Properties, Realty, Residential, Storage, Communities, Realty Trust",
    "Telecommunications Services": "Communications, Telephone",
    "Utilities": "Energy, Power, Electric, Water Works, Gas & Electric, Public Service",
}
"""Words that names end with."""

SUB_INDUSTRIES = {
    "Consumer Discretionary": _weights("""
        Apparel, Accessories & Luxury Goods 10; Specialty Stores 9; Apparel Retail 6; Broadcasting & Cable TV 5;
        Restaurants 5; Publishing 5; Internet & Direct Marketing Retail 4; Hotels, Resorts & Cruise Lines 4; Cable &
        Satellite 4; General Merchandise Stores 4; Homebuilding 3; Household Appliances 3; Auto Parts & Equipment 2;
        Automobile Manufacturers 2; Consumer Electronics 2; Leisure Products 2; Home Improvement Retail 2; Advertising
        2; Department Stores 2; Automotive Retail 1; Computer & Electronics Retail 1; Tires & Rubber 1; Motorcycle
        Manufacturers 1; Distributors 1; Home Furnishings 1; Housewares & Specialties 1; Specialty Retail 1; Casinos &
        Gaming 1"""),
    "Consumer Staples": _weights("""
        Packaged Foods & Meats 12; Household Products 4; Soft Drinks 4; Tobacco 3; Personal Products 3; Distillers &
        Vintners 2; Hypermarkets & Super Centers 2; Drug Retail 2; Food Retail 2; Agricultural Products 1; Brewers 1;
        Food Distributors 1"""),
    "Energy": _weights("""
        Oil & Gas Exploration & Production 18; Oil & Gas Refining & Marketing & Transportation 6; Oil & Gas Equipment
        & Services 5; Integrated Oil & Gas 5; Oil & Gas Drilling 2"""),
    "Financials": _weights("""
        Banks 13; Diversified Financial Services 10; Property & Casualty Insurance 8; Asset Management & Custody Banks
        6; Consumer Finance 6; Insurance Brokers 4; Investment Banking & Brokerage 4; Life & Health Insurance 3;
        Multi-Sector Holdings 3; Regional Banks 3; Multi-line Insurance 2; Financial Exchanges & Data 1; Thrifts &
        Mortgage Finance 1"""),
    "Health Care": _weights("""
        Health Care Equipment 17; Pharmaceuticals 10; Biotechnology 7; Health Care Distributors 7; Managed Health Care
        6; Health Care Facilities 5; Health Care Supplies 3; Life Sciences Tools & Services 2; Health Care Technology
        1; Health Care Services 1"""),
    "Industrials": _weights("""
        Industrial Conglomerates 21; Aerospace & Defense 7; Industrial Machinery 6; Airlines 5; Building Products 5;
        Air Freight & Logistics 4; Railroads 4; Research & Consulting Services 4; Construction & Farm Machinery &
        Heavy Trucks 3; Electrical Components & Equipment 2; Diversified Support Services 1; Diversified Commercial
        Services 1; Industrial Materials 1; Trucking 1; Technology, Hardware, Software and Supplies 1; Human Resource
        & Employment Services 1; Trading Companies & Distributors 1; Environmental Services 1"""),
    "Information Technology": _weights("""
        Internet Software & Services 18; Semiconductors 13; IT Consulting & Other Services 5; Application Software 5;
        Data Processing & Outsourced Services 3; Semiconductor Equipment 3; Systems Software 3; Networking Equipment
        3; Home Entertainment Software 2; Electronic Components 2; Computer Hardware 2; Telecommunications Equipment
        2; Computer Storage & Peripherals 2; Electronic Equipment & Instruments 1; Technology Hardware, Storage &
        Peripherals 1; Electronic Manufacturing Services 1"""),
    "Materials": _weights("""
        Diversified Chemicals 6; Specialty Chemicals 4; Paper Packaging 4; Fertilizers & Agricultural Chemicals 3;
        Industrial Gases 2; Construction Materials 2; Metal & Glass Containers 1; Copper 1; Gold 1; Steel 1"""),
    "Real Estate": _weights("""
        REITs 16; Residential REITs 4; Retail REITs 4; Specialized REITs 3; Real Estate Services 1; Office REITs 1"""),
    "Telecommunications Services": _weights("Integrated Telecommunications Services 4; Alternative Carriers 1"),
    "Utilities": _weights("""
        MultiUtilities 13; Electric Utilities 12; Independent Power Producers & Energy Traders 2; Water Utilities 1"""),
}

PLACES = {
    "United States": _weights("""
        New York, New York 48; Houston, Texas 20; Atlanta, Georgia 13; Chicago, Illinois 9; San Francisco, California
        9; San Jose, California 6; Seattle, Washington 6; Denver, Colorado 6; Stamford, Connecticut 6; Irving, Texas
        5; Cincinnati, Ohio 5; Charlotte, North Carolina 5; Minneapolis, Minnesota 6; Dallas, Texas 6; St. Louis,
        Missouri 6; Boston, Massachusetts 6; Richmond, Virginia 5; Los Angeles, California 5; San Diego, California 5;
        Pittsburgh, Pennsylvania 5; Philadelphia, Pennsylvania 4; Milwaukee, Wisconsin 4; Nashville, Tennessee 4;
        Santa Clara, California 4; Palo Alto, California 3; Cleveland, Ohio 4; Columbus, Ohio 4; Akron, Ohio 3;
        Toledo, Ohio 3; Waltham, Massachusetts 3; Cambridge, Massachusetts 3; Newark, New Jersey 4; Camden, New Jersey
        3; Norwalk, Connecticut 3; Hartford, Connecticut 3; McLean, Virginia 4; Arlington, Virginia 3; Plano, Texas 4;
        San Antonio, Texas 3; Fort Worth, Texas 3; Midland, Texas 2; Bethesda, Maryland 4; Baltimore, Maryland 3;
        Detroit, Michigan 4; Midland, Michigan 2; Kansas City, Missouri 3; Jacksonville, Florida 4; Orlando, Florida
        3; Indianapolis, Indiana 4; Warsaw, Indiana 2; Tulsa, Oklahoma 3; Oklahoma City, Oklahoma 2; Phoenix, Arizona
        3; Raleigh, North Carolina 3; Winston-Salem, North Carolina 3; Deerfield, Illinois 4; Lake Forest, Illinois 3;
        Oak Brook, Illinois 3; Bellevue, Washington 3; St. Paul, Minnesota 3; Eden Prairie, Minnesota 3; Greenwood
        Village, Colorado 3; White Plains, New York 3; Rochester, New York 3; Armonk, New York 2; Omaha, Nebraska 3;
        Louisville, Kentucky 3; Providence, Rhode Island 3; Little Rock, Arkansas 3; Monroe, Louisiana 3; Salt Lake
        City, Utah 2; Beaverton, Oregon 2; Des Moines, Iowa 2; Birmingham, Alabama 2; Washington, D.C. 2; Green Bay,
        Wisconsin 2; Reading, Pennsylvania 3; Allentown, Pennsylvania 2; Portland, Maine 1; Boise, Idaho 1; Columbia,
        South Carolina 1; Las Vegas, Nevada 1"""),
    "Ireland": _weights("Dublin 10; Cork 1"),
    "United Kingdom": _weights("London 2; Kent 1; Worsley 1"),
    "Switzerland": _weights("Schaffhausen 2; Zurich 1; Vernier 1"),
    "Netherlands": _weights("Rotterdam 1; Amsterdam 1; Curacao 1"),
    "Bermuda": _weights("Hamilton 2"),
}
"""Headquarters by country, with weights; abroad the tables give the town alone."""

COUNTRIES = _weights("United States 476; Ireland 11; United Kingdom 4; Switzerland 4; Netherlands 3; Bermuda 2")

FIRST_YEARS = _weights("""
    1964 4; 1965 3; 1969 3; 1973 3; 1976 13; 1980 8; 1983 10; 1985 20; 1989 13; 1994 10; 1999 5; 2007 18; 2008 27; 2009 19;
    2010 13; 2011 12; 2012 14; 2013 19; 2014 15; 2015 26; 2016 29; 2017 1""")
"""Years of joining the index, with weights."""

YEAR_ENDS = _weights("""
    12 320; 9 14; 6 11; 5 6; 1 6; 3 4; 10 4; 11 3; 2 3; 8 2; 7 2; 4 2;
    12w 17; 1w 16; 9w 9; 3w 4; 6w 4; 5w 3; 10w 3; 8w 2; 7w 2""")
"""Months in which fiscal years end, with weights: on the last day, or (w) on the Saturday nearest to it."""

FORMS = _weights("""
    Inc. 76; Inc 45; Corp. 55; Corp 17; Corporation 17; Co. 16; Co 6; Company 11; Group 13; Holdings 6; Ltd. 5;
    International 5; plc 5; Cos. 3; Corp. (Hldg. Co.) 1""") | {"": 110}
"""Legal forms at the end of names, with weights; many names have none, or a word of their trade."""

NAMES = {
    "{brand} {form}": 190,
    "{brand} {trade} {form}": 70,
    "{brand} {trade}": 90,
    "{plain} {form}": 40,
    "{plain} {trade}": 20,
    "{brand} & {other} {form}": 20,
    "{brand}-{other} {form}": 14,
    "{a}. {b}. {brand} {trade}": 6,
    "{brand} ({a}.{b}.) {form}": 6,
    "{brand} ({plain}) & Co.": 2,
    "{plain} (The)": 3,
    "The {brand} Company": 8,
    "{brand}, {other} & {plain}": 4,
    "{a}&{b} {brand} {form}": 6,
    "{a}{digit} {brand} {trade}": 4,
    "{digit}{a} {brand} Company": 1,
    "{a}*{brand}": 1,
    "{brand}! {trade} {form}": 1,
}
"""How names are formed, with weights."""

ONSETS, MIDDLES, JOINTS, ENDS = (
    text.split()
    for text in (
        "b bl br c ch cl cr d dr f fl fr g gl gr h j k kl kr l m n p pl pr qu r s sh sl st str t th tr v w z",
        "a e i o u",
        "d l m n r t v",
        "andrush elvorn ombrath undrix ethralk alquorn immarsk ukandt ivaskel emondt oskarn iskandry olwynd ebrosk adineth",
    )
)
"""A brand is an onset and an end, or an onset, a middle, a joint and an end; none is a word."""

_PLAIN = """
anvil arrow barley beacon birch bramble bridle cinder cobble compass copper coral cricket dapple ember falcon fern
flint foundry garnet granary heron hickory kestrel kiln lantern larch lichen linden mallard millstone mulberry orchard
osprey otter pebble plover quarry quill rowan saddle sparrow spindle teasel thicket thimble thistle wicket willow wren
"""
PLAIN = _PLAIN.split()
"""Ordinary words, of which two make a name: no company that we know of is called by two of these."""
