#!/usr/bin/env python3
"""Write the seed files of the retail example: one CSV per raw table, the same bytes every time.

Usage:
    python generate_seeds.py            rewrite seeds/*.csv
    python generate_seeds.py --check    exit with 1 if a file on disk differs

Only the standard library is used. All amounts are whole cents until they are written, and every
draw comes from ``Random.random()``, so neither the platform nor the Python version shows through.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import sys
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Row = dict[str, Any]

SEED = 20_220_101
SEEDS_DIR = Path(__file__).resolve().parent / "seeds"

FIRST_DAY = date(2022, 1, 1)
LAST_DAY = date(2024, 12, 31)
CLOSE = datetime(2024, 12, 31, 23, 59, 59)

CUSTOMER_COUNT = 850
ORDERS_PER_YEAR = {2022: 760, 2023: 1000, 2024: 1240}
MONTH_WEIGHTS = [0.85, 0.72, 0.88, 0.94, 0.97, 1.0, 0.9, 0.84, 0.99, 1.06, 1.42, 1.58]
WEEKDAY_WEIGHTS = [0.9, 0.85, 0.9, 1.0, 1.2, 1.35, 0.8]
HOUR_WEIGHTS = [1, 1, 0, 0, 0, 0, 1, 3, 5, 8, 10, 11, 11, 9, 9, 10, 11, 13, 14, 14, 12, 9, 5, 3]
ONLINE_SHARE = {2022: 0.38, 2023: 0.46, 2024: 0.52}
MARKETPLACE_SHARE = 0.08
CANCEL_RATE = {"online": 0.07, "store": 0.012, "marketplace": 0.115}

# market_code, country, sales_region, currency, vat_percent
MARKETS = [
    ("DE", "Germany", "Central Europe", "EUR", 19),
    ("FR", "France", "Western Europe", "EUR", 20),
    ("GB", "United Kingdom", "UK & Ireland", "GBP", 20),
    ("NL", "Netherlands", "Western Europe", "EUR", 21),
    ("ES", "Spain", "Southern Europe", "EUR", 21),
    ("IT", "Italy", "Southern Europe", "EUR", 22),
    ("PL", "Poland", "Central Europe", "PLN", 23),
    ("US", "United States", "North America", "USD", 0),
]

# name, city, market, format, opened_on, floor area in square metres, weight inside its market
STORES = [
    ("Alexanderplatz", "Berlin", "DE", "flagship", "2014-09-18", 1850, 5),
    ("Kurfürstendamm", "Berlin", "DE", "high street", "2017-03-02", 620, 2),
    ("Marienplatz", "Munich", "DE", "high street", "2016-05-12", 780, 4),
    ("Jungfernstieg", "Hamburg", "DE", "high street", "2019-10-24", 700, 3),
    ("Opéra", "Paris", "FR", "flagship", "2015-04-09", 1600, 5),
    ("Le Marais", "Paris", "FR", "high street", "2018-11-15", 480, 2),
    ("Bellecour", "Lyon", "FR", "high street", "2020-02-20", 540, 2),
    ("King's Cross", "London", "GB", "flagship", "2016-10-06", 1720, 6),
    ("Portobello Road", "London", "GB", "high street", "2019-05-30", 410, 2),
    ("Deansgate", "Manchester", "GB", "outlet", "2021-03-25", 950, 3),
    ("Kalverstraat", "Amsterdam", "NL", "high street", "2017-09-07", 690, 4),
    ("Coolsingel", "Rotterdam", "NL", "outlet", "2021-09-16", 880, 2),
    ("Gran Vía", "Madrid", "ES", "high street", "2018-04-19", 760, 3),
    ("Passeig de Gràcia", "Barcelona", "ES", "high street", "2020-10-08", 720, 3),
    ("Navigli", "Milan", "IT", "high street", "2019-03-14", 650, 4),
    ("Trastevere", "Rome", "IT", "outlet", "2022-04-07", 830, 2),
    ("Nowy Świat", "Warsaw", "PL", "high street", "2021-05-27", 600, 1),
    ("SoHo", "New York", "US", "flagship", "2023-04-13", 1100, 1),
]

# country: weight among customers, market that serves it, cities with weights, dialling prefix
COUNTRIES: dict[str, tuple[float, str, list[tuple[str, float]], str]] = {
    "Germany": (
        27,
        "DE",
        [("Berlin", 5), ("Munich", 3), ("Hamburg", 2.5), ("Cologne", 2), ("Leipzig", 1)],
        "+49",
    ),
    "France": (18, "FR", [("Paris", 5), ("Lyon", 2), ("Lille", 1), ("Bordeaux", 1)], "+33"),
    "United Kingdom": (
        16,
        "GB",
        [("London", 5), ("Manchester", 2), ("Leeds", 1), ("Bristol", 1)],
        "+44",
    ),
    "Netherlands": (10, "NL", [("Amsterdam", 3), ("Rotterdam", 2), ("Utrecht", 1)], "+31"),
    "Spain": (8, "ES", [("Madrid", 3), ("Barcelona", 3), ("Valencia", 1)], "+34"),
    "Italy": (7, "IT", [("Milan", 3), ("Rome", 2), ("Turin", 1)], "+39"),
    "Poland": (5, "PL", [("Warsaw", 3), ("Kraków", 2)], "+48"),
    "United States": (4, "US", [("New York", 4), ("Boston", 1)], "+1"),
    "Austria": (3, "DE", [("Vienna", 3), ("Graz", 1)], "+43"),
    "Belgium": (2, "NL", [("Brussels", 2), ("Antwerp", 1)], "+32"),
}

FIRST_NAMES = {
    "Germany": (
        "Anna Lukas Mia Jonas Lena Felix Jürgen Katrin Stefan Greta Paul Hannah Moritz Klara Tim "
        "Sophie Jens Britta Emil Nele"
    ),
    "France": (
        "Camille Hugo Chloé Louis Élise François Manon Théo Inès Julien Adèle Rémi Jeanne Bastien "
        "Lucie Maxime"
    ),
    "United Kingdom": (
        "Olivia Harry Amelia Jack Isla Oscar Freya Callum Ruby Niamh Archie Poppy Rhys Maisie "
        "Duncan Imogen"
    ),
    "Netherlands": "Sanne Daan Zoë Bram Fleur Sem Lotte Ruben Maud Thijs Femke Joris Anouk Pieter",
    "Spain": "Lucía Mateo Carmen Pablo Sofía Álvaro Inés Diego Nuria Iker Marta Hugo",
    "Italy": "Giulia Marco Chiara Luca Elena Matteo Sara Davide Noemi Pietro Alice Nicolò",
    "Poland": "Zofia Jakub Hanna Piotr Małgorzata Michał Ewa Tomasz Iga Filip",
    "United States": "Emma Noah Ava Ethan Grace Logan Nora Caleb Hazel Miles",
}
LAST_NAMES = {
    "Germany": (
        "Müller Schneider Weber Fischer Krüger Hoffmann Becker Vogel Brandt Seidel Lorenz Jäger "
        "Winkler Keller Sommer Arnold Busch Pohl Ziegler Hartmann"
    ),
    "France": (
        "Martin Bernard Lefèvre Moreau Garnier Rousseau Fournier Lambert Perrin Noël Chevalier "
        "Dumas Blanchet Marchand Giraud Renard"
    ),
    "United Kingdom": (
        "Taylor O'Brien Walker Hughes Clarke Bennett Shaw Marsh Doyle Frost Pearce Holt Griffiths "
        "Barlow Sutton Finch"
    ),
    "Netherlands": (
        "Jansen Visser Bakker Smit Mulder Dekker Kok Hendriks Vos Brouwer Kuipers Postma Prins Maas"
    ),
    "Spain": "García Romero Navarro Ruiz Molina Ortega Castro Núñez Vidal Prieto Serrano Campos",
    "Italy": "Rossi Ferrari D'Angelo Greco Conti Marino Gallo Fontana Riva Serra Bruno Leone",
    "Poland": "Nowak Kowal Wójcik Mazur Krawczyk Pawlak Duda Sikora Zając Wrona",
    "United States": "Johnson Carter Brooks Reed Foster Hayes Parker Sullivan Price Quinn",
}
NAME_POOL = {"Austria": "Germany", "Belgium": "Netherlands"}
# customers who bear the name of an earlier customer: names are no keys
NAMESAKES = (233, 512, 702)

SEGMENTS = [("consumer", 0.78), ("small business", 0.16), ("corporate", 0.06)]
TIERS = [(None, 0.34), ("bronze", 0.31), ("silver", 0.2), ("gold", 0.11), ("platinum", 0.04)]

# category: weight, chance that a line comes back, months that sell more, factor for those months
CATEGORIES: dict[str, tuple[float, float, tuple[int, ...], float]] = {
    "Clothing": (25, 0.205, (3, 9, 10, 11), 1.2),
    "Shoes": (12, 0.155, (3, 4, 9), 1.25),
    "Electronics": (14, 0.085, (11, 12), 1.5),
    "Home & Kitchen": (17, 0.05, (1, 11, 12), 1.2),
    "Toys": (9, 0.038, (11, 12), 2.4),
    "Beauty": (12, 0.022, (2, 5, 12), 1.3),
    "Sports": (9, 0.065, (1, 4, 5, 6), 1.4),
    "Garden": (7, 0.03, (4, 5, 6, 7), 2.6),
}
# category, subcategory, lowest and highest list price in euros, what the products are
SUBCATEGORIES = [
    ("Clothing", "Outerwear", 69, 189, ("Rain Jacket", "Wool Coat", "Parka", "Gilet", "Trench")),
    ("Clothing", "Knitwear", 39, 109, ("Cardigan", "Roll Neck", "Crew Jumper", "Vest", "Poncho")),
    ("Clothing", "Shirts", 25, 75, ("Linen Shirt", "Polo", "Oxford Shirt", "Tee", "Blouse")),
    ("Shoes", "Trainers", 59, 139, ("Runner", "Court Shoe", "High Top", "Slip-On", "Trail Shoe")),
    ("Shoes", "Boots", 89, 189, ("Chelsea Boot", "Hiker", "Ankle Boot", "Desert Boot", "Wellie")),
    ("Shoes", "Sandals", 29, 79, ("Slide", "Strap Sandal", "Espadrille", "Clog", "Flip-Flop")),
    ("Electronics", "Audio", 49, 329, ("Earbuds", "Headphones", "Soundbar", "Radio", "Turntable")),
    ("Electronics", "Wearables", 69, 399, ("Smartwatch", "Tracker", "Ring", "Sleep Band", "Pod")),
    ("Electronics", "Photo", 119, 899, ("Camera", "Tripod", "Instant Camera", "Lens", "Gimbal")),
    ("Home & Kitchen", "Cookware", 25, 179, ("Saucepan", "Casserole", "Wok", "Skillet", "Kettle")),
    ("Home & Kitchen", "Lighting", 29, 219, ("Desk Lamp", "Lantern", "Pendant", "Sconce", "Torch")),
    ("Home & Kitchen", "Bedding", 35, 159, ("Duvet", "Pillow", "Throw", "Sheet Set", "Quilt")),
    ("Toys", "Building Sets", 15, 99, ("Castle", "Crane Kit", "Train Kit", "Boat Kit", "Rover")),
    ("Toys", "Board Games", 12, 55, ("Word Game", "Map Game", "Card Game", "Dice Game", "Quiz")),
    ("Toys", "Soft Toys", 9, 39, ("Bear", "Rabbit", "Otter", "Dragon", "Elephant")),
    ("Beauty", "Skincare", 9, 69, ("Day Cream", "Serum", "Cleanser", "Balm", "Sun Milk")),
    ("Beauty", "Fragrance", 29, 119, ("Cologne", "Eau de Parfum", "Candle", "Diffuser", "Mist")),
    ("Beauty", "Hair Care", 6, 35, ("Shampoo", "Conditioner", "Hair Oil", "Brush", "Mask")),
    ("Sports", "Fitness", 15, 249, ("Yoga Mat", "Kettlebell", "Rower Strap", "Bench", "Rope")),
    ("Sports", "Cycling", 19, 189, ("Helmet", "Pannier", "Bike Light", "Pump", "Lock")),
    ("Sports", "Camping", 25, 299, ("Tent", "Sleeping Bag", "Stove", "Hammock", "Cool Box")),
    ("Garden", "Planters", 12, 89, ("Pot", "Raised Bed", "Trough", "Hanging Basket", "Trellis")),
    ("Garden", "Tools", 9, 129, ("Spade", "Secateurs", "Hose", "Rake", "Hedge Shears")),
    ("Garden", "Furniture", 59, 449, ("Bench Seat", "Parasol", "Table", "Lounger", "Stool")),
]
LINE_NAMES = (
    *("Harbour", "Alder", "Ember", "Fjord", "Willow", "Juniper"),
    *("Tern", "Slate", "Meadow", "Copper", "Heron", "Birch"),
)

# name, country, lead time in days, rating
SUPPLIERS = [
    ("Nordhavn Textiles", "Portugal", 24, "A"),
    ("Anatolia Knit Works", "Türkiye", 31, "A"),
    ("Ostwind Outdoor", "Germany", 18, "B"),
    ("Lusitana Footwear", "Portugal", 26, "A"),
    ("Marche Calzature", "Italy", 21, "B"),
    ("Brightwave Devices", "China", 48, "B"),
    ("Kestrel Optics", "Japan", 52, "A"),
    ("Vesuvio Casa", "Italy", 22, "B"),
    ("Småland Hem", "Sweden", 19, "A"),
    ("Twig & Tinker", "Poland", 16, "C"),
    ("Maison Clairval", "France", 14, "A"),
    ("Pennine Sports", "United Kingdom", 20, "B"),
    ("Delta Garden Goods", "Netherlands", 12, "A"),
    ("O'Hara & Daughters", "Ireland", 28, "C"),
]
# category: brands, supplier numbers (one based)
SOURCING = {
    "Clothing": (("O'Neil & Sons", "Marlow", "Nordlys"), (1, 2, 3)),
    "Shoes": (("Velora", "O'Neil & Sons", "Passo"), (4, 5)),
    "Electronics": (("Brightwave", "Kestrel", "Tonwerk"), (6, 7)),
    "Home & Kitchen": (("Café Lumière", "Hemma", "Vesuvio"), (8, 9)),
    "Toys": (("Twig & Tinker", "Little Otter"), (10,)),
    "Beauty": (("Clairval", "Café Lumière", "Verbena"), (11, 14)),
    "Sports": (("Pennine", "Velora", "Ridgeback"), (12, 3)),
    "Garden": (("Greenhollow", "Delta"), (13,)),
}

# name, type, discount percent, first and last day, chance that an order of that time uses it
PROMOTIONS = [
    ("Welcome 10", "welcome", 10, "2022-01-01", "2024-12-31", 0.0),
    ("Winter Sale 2022", "seasonal", 20, "2022-01-03", "2022-01-23", 0.45),
    ("Spring Refresh 2022", "category", 10, "2022-04-04", "2022-04-24", 0.25),
    ("Summer Sale 2022", "seasonal", 25, "2022-07-04", "2022-07-31", 0.4),
    ("Members' Week 2022", "loyalty", 15, "2022-09-19", "2022-09-25", 0.4),
    ("Black Friday 2022", "seasonal", 30, "2022-11-21", "2022-11-28", 0.6),
    ("Advent 2022", "category", 10, "2022-12-01", "2022-12-18", 0.25),
    ("Winter Sale 2023", "seasonal", 20, "2023-01-02", "2023-01-22", 0.45),
    ("Spring Refresh 2023", "category", 10, "2023-04-03", "2023-04-23", 0.25),
    ("SoHo Opening", "category", 15, "2023-04-13", "2023-04-30", 0.5),
    ("Summer Sale 2023", "seasonal", 25, "2023-07-03", "2023-07-30", 0.4),
    ("Members' Week 2023", "loyalty", 15, "2023-09-18", "2023-09-24", 0.4),
    ("Black Friday 2023", "seasonal", 30, "2023-11-20", "2023-11-27", 0.6),
    ("Advent 2023", "category", 10, "2023-12-01", "2023-12-17", 0.25),
    ("Winter Sale 2024", "seasonal", 20, "2024-01-02", "2024-01-21", 0.45),
    ("Spring Refresh 2024", "category", 10, "2024-04-01", "2024-04-21", 0.25),
    ("Summer Sale 2024", "seasonal", 25, "2024-07-01", "2024-07-28", 0.4),
    ("Members' Week 2024", "loyalty", 15, "2024-09-16", "2024-09-22", 0.4),
    ("Black Friday 2024", "seasonal", 30, "2024-11-25", "2024-12-02", 0.6),
    ("Advent 2024", "category", 10, "2024-12-03", "2024-12-18", 0.25),
]

# carrier: weight, fastest and slowest days in transit, chance of being late
CARRIERS = [
    ("ParcelNord", 0.42, 1, 3, 0.06),
    ("Blue Courier", 0.29, 2, 4, 0.10),
    ("SwiftPost", 0.19, 2, 5, 0.2),
    ("Relay", 0.10, 3, 5, 0.27),
]
RETURN_REASONS = {
    "Clothing": [("wrong size", 0.55), ("not as described", 0.2), ("changed mind", 0.25)],
    "Shoes": [("wrong size", 0.62), ("not as described", 0.13), ("changed mind", 0.25)],
    "Electronics": [("faulty", 0.5), ("changed mind", 0.3), ("damaged in transit", 0.2)],
}
OTHER_REASONS = [
    ("changed mind", 0.4),
    ("damaged in transit", 0.3),
    ("not as described", 0.18),
    ("faulty", 0.12),
]
ORDER_CHANNEL_SPELLINGS = {
    "online": [("online", 0.8), ("Online", 0.15), ("ONLINE ", 0.05)],
    "store": [("store", 0.85), ("Store", 0.15)],
    "marketplace": [("marketplace", 0.9), ("Marketplace", 0.1)],
}
TICKET_CHANNELS = [
    ("Web", 0.2),
    ("web", 0.16),
    ("WEB", 0.07),
    ("Email", 0.22),
    ("email", 0.1),
    ("Phone", 0.17),
    ("phone", 0.08),
]


def stream(name: str) -> random.Random:
    """Give one table its own source of chance, so that changing one leaves the others alone."""
    return random.Random(SEED + sum(ord(letter) * (index + 1) for index, letter in enumerate(name)))


def between(rng: random.Random, low: int, high: int) -> int:
    """Draw a whole number from low to high, both included."""
    return low + int(rng.random() * (high - low + 1))


def pick(rng: random.Random, items: Sequence[T]) -> T:
    """Draw one item, all equally likely."""
    return items[int(rng.random() * len(items))]


def weighted(rng: random.Random, items: Sequence[tuple[T, float]]) -> T:
    """Draw one item of (item, weight) pairs."""
    left = rng.random() * sum(weight for _, weight in items)
    for item, weight in items:
        left -= weight
        if left < 0:
            return item
    return items[-1][0]


def shuffled(rng: random.Random, items: Sequence[T]) -> list[T]:
    """Return the items in a random order."""
    result = list(items)
    for index in range(len(result) - 1, 0, -1):
        other = int(rng.random() * (index + 1))
        result[index], result[other] = result[other], result[index]
    return result


def money(cents: int) -> str:
    """Write whole cents as euros."""
    return f"{cents // 100}.{cents % 100:02d}"


def percent_of(cents: int, percent: int) -> int:
    """Take a whole percentage of an amount, rounded half up to a cent."""
    return (cents * percent + 50) // 100


def plain(name: str) -> str:
    """Reduce a name to lower-case ASCII letters."""
    decomposed = unicodedata.normalize("NFKD", name.replace("ł", "l").replace("Ł", "L"))
    return "".join(letter for letter in decomposed.lower() if "a" <= letter <= "z")


def day_between(rng: random.Random, first: date, last: date) -> date:
    """Draw a day from first to last, both included."""
    return first + timedelta(days=between(rng, 0, (last - first).days))


def make_markets() -> list[Row]:
    """List the countries the retailer sells in."""
    names = ("market_code", "country", "sales_region", "currency", "vat_percent")
    return [dict(zip(names, market, strict=True)) for market in MARKETS]


def make_stores() -> list[Row]:
    """List the stores."""
    return [
        {
            "store_id": number,
            "store_name": name,
            "city": city,
            "market_code": market,
            "store_format": store_format,
            "opened_on": opened_on,
            "floor_area_m2": area,
        }
        for number, (name, city, market, store_format, opened_on, area, _) in enumerate(STORES, 1)
    ]


def make_categories() -> list[Row]:
    """List the subcategories with the category each belongs to; "order" is the menu position."""
    return [
        {
            "category_id": number,
            "category": category,
            "subcategory": subcategory,
            "return_window_days": 14 if category == "Beauty" else 30,
            "order": number * 10,
        }
        for number, (category, subcategory, *_) in enumerate(SUBCATEGORIES, 1)
    ]


def make_suppliers() -> list[Row]:
    """List the suppliers."""
    names = ("supplier_id", "supplier_name", "country", "lead_time_days", "rating")
    return [
        dict(zip(names, (number, *supplier), strict=True))
        for number, supplier in enumerate(SUPPLIERS, 1)
    ]


def make_promotions() -> list[Row]:
    """List the promotions."""
    names = ("promotion_id", "promotion_name", "promotion_type", "discount_percent")
    return [
        dict(zip(names, (number, *promotion[:3]), strict=True))
        | {"starts_on": promotion[3], "ends_on": promotion[4]}
        for number, promotion in enumerate(PROMOTIONS, 1)
    ]


def make_products() -> list[Row]:
    """Invent five products for each subcategory."""
    rng = stream("products")
    products: list[Row] = []
    for category_id, (category, _, low, high, kinds) in enumerate(SUBCATEGORIES, 1):
        brands, suppliers = SOURCING[category]
        lines = shuffled(rng, LINE_NAMES)
        for kind, line in zip(kinds, lines, strict=False):
            price = between(rng, low, high) * 100 - pick(rng, (1, 5, 10))
            launched = day_between(rng, date(2019, 2, 1), date(2021, 12, 15))
            if rng.random() < 0.2:
                launched = day_between(rng, date(2022, 3, 1), date(2024, 6, 30))
            discontinued = None
            if launched.year < 2022 and rng.random() < 0.16:
                discontinued = day_between(rng, date(2023, 1, 15), date(2024, 9, 30))
            number = len(products) + 1
            products.append(
                {
                    "product_id": number,
                    "sku": f"{plain(category)[:3].upper()}-{category_id:02d}{number:03d}",
                    "product_name": f"{line} {kind}",
                    "brand": pick(rng, brands),
                    "category_id": category_id,
                    "supplier_id": pick(rng, suppliers),
                    "list_price": price,
                    "unit_cost": percent_of(price, between(rng, 42, 66)),
                    "launched_on": launched,
                    "discontinued_on": discontinued,
                }
            )
    return products


def draw_name(rng: random.Random, pool: str) -> tuple[str, str]:
    """Draw a first and a last name that go together."""
    return pick(rng, FIRST_NAMES[pool].split()), pick(rng, LAST_NAMES[pool].split())


def make_customers() -> list[Row]:
    """Invent the customers, oldest registration first."""
    rng = stream("customers")
    years = [(2021, 170), (2022, 200), (2023, 225), (2024, 255)]
    dates: list[date] = []
    for year, count in years:
        last = LAST_DAY if year < 2024 else date(2024, 12, 20)
        first = date(year, 6, 1) if year == 2021 else date(year, 1, 1)
        dates.extend(day_between(rng, first, min(last, date(year, 12, 31))) for _ in range(count))
    customers: list[Row] = []
    taken: dict[str, list[tuple[str, str]]] = {}
    for number, signed_up_on in enumerate(sorted(dates)[:CUSTOMER_COUNT], 1):
        open_now = [
            (name, entry[0])
            for name, entry in COUNTRIES.items()
            if name != "United States" or signed_up_on >= date(2023, 3, 1)
        ]
        country = weighted(rng, open_now)
        _, _, cities, prefix = COUNTRIES[country]
        pool = NAME_POOL.get(country, country)
        names = taken.setdefault(pool, [])
        first_name, last_name = draw_name(rng, pool)
        while (first_name, last_name) in names:
            first_name, last_name = draw_name(rng, pool)
        if number in NAMESAKES:
            first_name, last_name = pick(rng, names)
        names.append((first_name, last_name))
        domain = pick(rng, ("example.com", "example.org", "example.net"))
        phone = f"{prefix} {between(rng, 100, 999)} 555 {between(rng, 0, 9999):04d}"
        customers.append(
            {
                "customer_id": number,
                "first_name": first_name,
                "last_name": last_name,
                "email": f"{plain(first_name)}.{plain(last_name)}{number}@{domain}",
                "phone": phone if rng.random() < 0.82 else None,
                "birth_date": day_between(rng, date(1948, 1, 1), date(2005, 12, 31)),
                "city": weighted(rng, cities),
                "country": country,
                "segment": weighted(rng, SEGMENTS),
                "loyalty_tier": weighted(rng, TIERS),
                "accepts_marketing": "true" if rng.random() < 0.57 else "false",
                "signed_up_on": signed_up_on,
            }
        )
    return customers


def order_times(rng: random.Random) -> list[datetime]:
    """Place the orders in time: growth by year, seasons, weekdays and opening hours."""
    times: list[datetime] = []
    hours = list(enumerate(HOUR_WEIGHTS))
    for year, total in ORDERS_PER_YEAR.items():
        days = [date(year, 1, 1) + timedelta(days=n) for n in range(366 if year == 2024 else 365)]
        pairs = [
            (
                day,
                MONTH_WEIGHTS[day.month - 1]
                * WEEKDAY_WEIGHTS[day.weekday()]
                * (2.1 if day.month == 11 and day.weekday() == 4 and day.day > 22 else 1.0)
                # a gentle slope inside the year, so that the years meet without a step
                * (0.88 + 0.24 * day.timetuple().tm_yday / 365),
            )
            for day in days
        ]
        for _ in range(total):
            day = weighted(rng, pairs)
            times.append(
                datetime(day.year, day.month, day.day, weighted(rng, hours))
                + timedelta(seconds=between(rng, 0, 3599))
            )
    return sorted(times)


def choose_store(rng: random.Random, customer: Row, channel: str, on: date) -> tuple[int, str]:
    """Choose the store that sells or fulfils an order, and give its number and market."""
    market = COUNTRIES[customer["country"]][1]
    if channel == "store" and rng.random() < 0.07:
        market = pick(rng, ("DE", "FR", "GB"))
    if market == "US" and on < date(2023, 4, 13):
        market = "GB"
    choices = [
        ((number, store[2]), store[6] * (6 if store[1] == customer["city"] else 1))
        for number, store in enumerate(STORES, 1)
        if store[2] == market and store[4] <= on.isoformat()
    ]
    return weighted(rng, choices)


def choose_promotion(
    rng: random.Random, on: date, market: str, channel: str, first: bool
) -> int | None:
    """Choose the promotion that an order uses, if any."""
    if first and channel == "online" and rng.random() < 0.3:
        return 1
    for number, (name, _, _, starts, ends, chance) in enumerate(PROMOTIONS, 1):
        running = chance and starts <= on.isoformat() <= ends
        if running and (name != "SoHo Opening" or market == "US") and rng.random() < chance:
            return number
    return None


def make_orders(customers: list[Row]) -> list[Row]:
    """Place the orders: who buys, when, where and through which channel."""
    rng = stream("orders")
    ranks = shuffled(rng, range(len(customers)))
    appetite = [
        0.0 if rng.random() < 0.14 else (1.5 if c["segment"] == "corporate" else 1.0) / (rank + 40)
        for rank, c in zip(ranks, customers, strict=True)
    ]
    orders: list[Row] = []
    seen: set[int] = set()
    for number, ordered_at in enumerate(order_times(rng), 1001):
        on = ordered_at.date()
        pairs = [
            (customer, weight)
            for customer, weight in zip(customers, appetite, strict=True)
            if customer["signed_up_on"] < on
        ]
        customer = weighted(rng, pairs)
        draw = rng.random()
        online = ONLINE_SHARE[on.year]
        shut = not 9 <= ordered_at.hour < 21
        channel = "online" if draw < online or shut else "store"
        if draw >= 1 - MARKETPLACE_SHARE:
            channel = "marketplace"
        store_id, market = choose_store(rng, customer, channel, on)
        first = customer["customer_id"] not in seen
        seen.add(customer["customer_id"])
        orders.append(
            {
                "order_id": number,
                "customer_id": customer["customer_id"],
                "store_id": store_id,
                "market": market,
                "segment": customer["segment"],
                "promotion_id": choose_promotion(rng, on, market, channel, first),
                "channel": channel,
                "raw_channel": weighted(rng, ORDER_CHANNEL_SPELLINGS[channel]),
                "ordered_at": ordered_at,
                "cancelled": rng.random() < CANCEL_RATE[channel],
            }
        )
    return orders


def make_order_items(orders: list[Row], products: list[Row]) -> list[Row]:
    """Fill the baskets, and set each order's amounts."""
    rng = stream("order_items")
    popularity = [(p, 1 / (between(rng, 0, 9) + 2)) for p in products]
    counts = [(1, 0.41), (2, 0.31), (3, 0.17), (4, 0.08), (5, 0.03)]
    quantities = [(1, 0.74), (2, 0.19), (3, 0.07)]
    items: list[Row] = []
    for order in orders:
        on: date = order["ordered_at"].date()
        candidates = []
        for product, weight in popularity:
            category = SUBCATEGORIES[product["category_id"] - 1][0]
            share, _, months, factor = CATEGORIES[category]
            gone = product["discontinued_on"]
            if product["launched_on"] <= on and (gone is None or on < gone):
                season = factor if on.month in months else 1.0
                candidates.append((product, weight * share * season))
        percent = PROMOTIONS[order["promotion_id"] - 1][2] if order["promotion_id"] else 0
        net = 0
        chosen: set[int] = set()
        for _ in range(weighted(rng, counts)):
            product = weighted(rng, candidates)
            if product["product_id"] in chosen:
                continue
            chosen.add(product["product_id"])
            quantity = weighted(rng, quantities)
            if order["segment"] == "corporate":
                quantity += between(rng, 0, 4)
            price = percent_of(product["list_price"], {2022: 94, 2023: 97}.get(on.year, 100))
            discount = percent_of(price * quantity, percent)
            net += price * quantity - discount
            items.append(
                {
                    "order_item_id": len(items) + 1,
                    "order_id": order["order_id"],
                    "line_number": len(chosen),
                    "product_id": product["product_id"],
                    "quantity": quantity,
                    "unit_price": price,
                    "discount_amount": discount,
                    "category": SUBCATEGORIES[product["category_id"] - 1][0],
                }
            )
        order["shipping_fee"] = 495 if order["channel"] == "online" and net < 5000 else 0
        order["total"] = net + order["shipping_fee"]
    return items


def make_shipments(orders: list[Row]) -> list[Row]:
    """Send the parcels, and set each order's delivery time and preliminary status."""
    rng = stream("shipments")
    carriers = [(carrier, carrier[1]) for carrier in CARRIERS]
    shipments: list[Row] = []
    for order in orders:
        ordered_at: datetime = order["ordered_at"]
        order["delivered_at"] = None
        if order["cancelled"]:
            order["status"] = "cancelled"
            continue
        if order["channel"] == "store":
            order["status"], order["delivered_at"] = "completed", ordered_at
            continue
        parcels = 2 if rng.random() < 0.08 else 1
        arrivals: list[datetime | None] = []
        for _ in range(parcels):
            shipped_at = ordered_at + timedelta(minutes=between(rng, 5 * 60, 54 * 60))
            name, _, fastest, slowest, late_chance = weighted(rng, carriers)
            promised_on = shipped_at.date() + timedelta(days=slowest + 1)
            days = between(rng, fastest, slowest)
            if rng.random() < late_chance:
                days = slowest + 1 + between(rng, 1, 5)
            arrived_at: datetime | None = shipped_at.replace(hour=9, minute=0) + timedelta(
                days=days, minutes=between(rng, 0, 9 * 60)
            )
            lost = rng.random() < 0.005
            cost = between(rng, 390, 980)
            if shipped_at > CLOSE:
                break
            if lost or (arrived_at is not None and arrived_at > CLOSE):
                arrived_at = None
            arrivals.append(arrived_at)
            old = shipped_at < CLOSE - timedelta(days=30)
            status = "delivered" if arrived_at else ("lost" if lost and old else "in_transit")
            shipments.append(
                {
                    "shipment_id": len(shipments) + 1,
                    "order_id": order["order_id"],
                    "carrier": name,
                    "shipped_at": shipped_at,
                    "promised_on": promised_on,
                    "delivered_at": arrived_at,
                    "shipment_status": status,
                    "shipping_cost": money(cost),
                }
            )
        known = [arrival for arrival in arrivals if arrival is not None]
        if len(known) == parcels:
            order["status"], order["delivered_at"] = "completed", max(known)
        else:
            order["status"] = "shipped" if arrivals else "pending"
    return shipments


def make_returns(orders: list[Row], items: list[Row]) -> list[Row]:
    """Send lines back, with a full or a partial refund, and mark orders that came back whole."""
    rng = stream("returns")
    by_order = {order["order_id"]: order for order in orders}
    left = {order["order_id"]: 0 for order in orders}
    returns: list[Row] = []
    for item in items:
        order = by_order[item["order_id"]]
        left[order["order_id"]] += item["quantity"]
        factor = {"online": 1.2, "marketplace": 1.35, "store": 0.7}[order["channel"]]
        draws = [rng.random() for _ in range(5)]
        if order["delivered_at"] is None or draws[0] >= CATEGORIES[item["category"]][1] * factor:
            continue
        returned_at = order["delivered_at"] + timedelta(
            days=2 + int(draws[1] * 24), minutes=int(draws[2] * 600)
        )
        if returned_at > CLOSE:
            continue
        quantity = item["quantity"] if draws[3] < 0.8 else 1
        paid = item["unit_price"] * item["quantity"] - item["discount_amount"]
        refund = paid * quantity // item["quantity"]
        if draws[4] < 0.18:
            refund = percent_of(refund, 80)
        left[order["order_id"]] -= quantity
        returns.append(
            {
                "return_id": 0,
                "order_item_id": item["order_item_id"],
                "returned_at": returned_at,
                "quantity": quantity,
                "return_reason": weighted(rng, RETURN_REASONS.get(item["category"], OTHER_REASONS)),
                "refund_amount": money(refund),
            }
        )
    returns.sort(key=lambda row: (row["returned_at"], row["order_item_id"]))
    for number, row in enumerate(returns, 1):
        row["return_id"] = number
    for order in orders:
        if order["status"] == "completed" and left[order["order_id"]] == 0:
            order["status"] = "returned"
    return returns


def make_payments(orders: list[Row]) -> list[Row]:
    """Pay the orders, some of them twice over: a gift card first, a second try after a failure."""
    rng = stream("payments")
    at_till = [("card", 0.68), ("cash", 0.32)]
    remote = [("card", 0.55), ("paypal", 0.31), ("bank_transfer", 0.14)]
    payments: list[Row] = []

    def add(order: Row, method: str, status: str, cents: int, minutes: int) -> None:
        payments.append(
            {
                "payment_id": len(payments) + 1,
                "order_id": order["order_id"],
                "payment_method": method,
                "payment_status": status,
                "amount": money(cents),
                "paid_at": order["ordered_at"] + timedelta(minutes=minutes),
            }
        )

    for order in orders:
        method = weighted(rng, at_till if order["channel"] == "store" else remote)
        status = {"cancelled": "refunded", "pending": "authorised"}.get(order["status"], "settled")
        due = order["total"]
        if method == "card" and rng.random() < 0.05:
            add(order, method, "failed", due, 0)
        if order["channel"] != "marketplace" and rng.random() < 0.12:
            gift = min(due, pick(rng, (1000, 1500, 2500, 5000)))
            add(order, "gift_card", status, gift, 1)
            due -= gift
        if due > 0:
            add(order, method, status, due, between(rng, 1, 4))
    return payments


def make_sessions(orders: list[Row]) -> list[Row]:
    """Record visits of those who accept analytics cookies, and tie some online orders to them."""
    rng = stream("web_sessions")
    sources = [
        ("organic search", 0.34),
        ("paid search", 0.22),
        ("direct", 0.19),
        ("email", 0.14),
        ("social", 0.11),
    ]
    rates = {"email": 1.9, "direct": 1.4, "organic search": 1.0, "paid search": 0.8, "social": 0.4}
    devices = [("mobile", 0.56), ("desktop", 0.36), ("tablet", 0.08)]
    sessions: list[Row] = []

    def add(visitor: int, customer: int | None, at: datetime, source: str, pages: int) -> None:
        sessions.append(
            {
                "session_id": 0,
                "visitor_id": f"v{visitor:05d}",
                "customer_id": customer,
                "started_at": at,
                "device": weighted(rng, devices),
                "traffic_source": source,
                "pages_viewed": pages,
            }
        )

    visitor = 0
    for order in orders:
        order["visitor_id"] = None
        if order["channel"] != "online":
            continue
        # the visit that ends in the order, for the few who let themselves be tracked
        source = weighted(rng, sources)
        if rng.random() < 0.14 * rates[source]:
            visitor += 1
            order["visitor_id"] = f"v{visitor:05d}"
            lead = between(rng, 4, 50) if rng.random() < 0.7 else between(rng, 1440, 8 * 1440)
            start = order["ordered_at"] - timedelta(minutes=lead)
            known = order["customer_id"] if rng.random() < 0.6 else None
            add(visitor, known, start, source, between(rng, 4, 22))
        # visits without an order, so that traffic follows trade
        for _ in range(between(rng, 1, 2) if rng.random() < 0.84 else 0):
            returning = visitor > 40 and rng.random() < 0.3
            if not returning:
                visitor += 1
            who = visitor - between(rng, 0, 40) if returning else visitor
            offset = timedelta(minutes=between(rng, -12 * 1440, 12 * 1440))
            at = order["ordered_at"] + offset
            if not datetime(2022, 1, 1) <= at <= CLOSE:
                continue
            customer = order["customer_id"] if rng.random() < 0.12 else None
            add(who, customer, at, weighted(rng, sources), between(rng, 1, 12))
    sessions.sort(key=lambda row: (row["started_at"], row["visitor_id"]))
    for number, row in enumerate(sessions, 1):
        row["session_id"] = number
    return sessions


def make_tickets(orders: list[Row]) -> list[Row]:
    """Open support tickets, most of them about an order."""
    rng = stream("support_tickets")
    topics = [
        ("delivery", 0.36),
        ("refund", 0.24),
        ("product question", 0.19),
        ("billing", 0.12),
        ("account", 0.09),
    ]
    priorities = [("low", 0.27), ("normal", 0.5), ("high", 0.17), ("urgent", 0.06)]
    hours = {"urgent": (1, 16), "high": (3, 40), "normal": (8, 90), "low": (20, 170)}
    tickets: list[Row] = []
    for order in orders:
        if rng.random() >= (0.2 if order["status"] != "completed" else 0.15):
            continue
        topic = weighted(rng, topics)
        priority = weighted(rng, priorities)
        opened_at = order["ordered_at"] + timedelta(minutes=between(rng, 60, 14 * 1440))
        if opened_at > CLOSE:
            continue
        low, high = hours[priority]
        minutes = between(rng, low * 60, high * 60)
        resolved_at: datetime | None = opened_at + timedelta(minutes=minutes)
        if resolved_at is not None and (resolved_at > CLOSE or rng.random() < 0.035):
            resolved_at = None
        scores = [(1, 0.06), (2, 0.09), (3, 0.19), (4, 0.37), (5, 0.29)]
        score = weighted(rng, scores) if resolved_at and rng.random() < 0.55 else None
        if score and score > 1 and topic == "refund" and rng.random() < 0.4:
            score -= 1
        tickets.append(
            {
                "ticket_id": 0,
                "customer_id": order["customer_id"],
                "order_id": None if topic in ("account", "product question") else order["order_id"],
                "opened_at": opened_at,
                "resolved_at": resolved_at,
                "channel": weighted(rng, TICKET_CHANNELS),
                "topic": topic,
                "priority": priority,
                "satisfaction_score": score,
            }
        )
    tickets.sort(key=lambda row: (row["opened_at"], row["customer_id"]))
    for number, row in enumerate(tickets, 1):
        row["ticket_id"] = number
    return tickets


def make_inventory(products: list[Row]) -> list[Row]:
    """Count the core range in the five hub stores at the end of each month."""
    rng = stream("stock counts")
    # store number and chance that it restocks in time
    hubs = {1: 0.82, 5: 0.76, 8: 0.72, 11: 0.5, 13: 0.64}
    core = [
        product
        for product in products
        if product["launched_on"].year < 2022 and product["discontinued_on"] is None
    ]
    chosen = sorted(shuffled(rng, core)[:9], key=lambda product: product["product_id"])
    rows: list[Row] = []
    for store_id, restocks in hubs.items():
        for product in chosen:
            reorder_point = between(rng, 8, 25)
            on_hand = between(rng, 30, 120)
            for month in range(36):
                year, index = 2022 + month // 12, month % 12
                following = date(year + (index == 11), (index + 1) % 12 + 1, 1)
                on_hand = max(0, on_hand - int(between(rng, 6, 26) * MONTH_WEIGHTS[index]))
                if on_hand < reorder_point and rng.random() < restocks:
                    on_hand += between(rng, 40, 110)
                rows.append(
                    {
                        "snapshot_on": following - timedelta(days=1),
                        "store_id": store_id,
                        "product_id": product["product_id"],
                        "quantity_on_hand": on_hand,
                        "reorder_point": reorder_point,
                    }
                )
    rows.sort(key=lambda row: (row["snapshot_on"], row["store_id"], row["product_id"]))
    return rows


def make_targets(orders: list[Row]) -> list[Row]:
    """Plan revenue: the trade of a market and year, spread over its months, with some ambition."""
    rng = stream("monthly_targets")
    traded: dict[tuple[str, int], int] = {}
    for order in orders:
        if order["status"] != "cancelled":
            key = (order["market"], order["ordered_at"].year)
            traded[key] = traded.get(key, 0) + order["total"] - order["shipping_fee"]
    ambition = {2022: 97, 2023: 101, 2024: 104}
    rows: list[Row] = []
    for year in ORDERS_PER_YEAR:
        for month in range(1, 13):
            for code, *_ in MARKETS:
                opening = code == "US" and year == 2023
                if code == "US" and (year, month) < (2023, 4):
                    continue
                season = MONTH_WEIGHTS[month - 1] * (1.3 if opening else 1.0)
                tilt = ambition[year] * (94 + between(rng, 0, 12)) / 10_000
                planned = traded.get((code, year), 0) * season / sum(MONTH_WEIGHTS) * tilt
                rows.append(
                    {
                        "market_code": code,
                        "target_month": date(year, month, 1),
                        "revenue_target": f"{int(planned / 10_000 + 0.5) * 100}.00",
                    }
                )
    return rows


def select(rows: list[Row], *names: str) -> list[Row]:
    """Keep some fields, in this order; "new=old" renames."""
    pairs = [(name.split("=")[0], name.split("=")[-1]) for name in names]
    return [{new: row[old] for new, old in pairs} for row in rows]


def build() -> dict[str, list[Row]]:
    """Make all raw tables."""
    products, customers = make_products(), make_customers()
    orders = make_orders(customers)
    items = make_order_items(orders, products)
    shipments = make_shipments(orders)
    returns = make_returns(orders, items)
    payments = make_payments(orders)
    sessions = make_sessions(orders)
    tickets = make_tickets(orders)
    inventory, targets = make_inventory(products), make_targets(orders)
    for row in (*items, *products, *orders):
        for name in ("unit_price", "discount_amount", "list_price", "unit_cost", "shipping_fee"):
            if name in row:
                row[name] = money(row[name])
    return {
        "raw_markets": make_markets(),
        "raw_stores": make_stores(),
        "raw_categories": make_categories(),
        "raw_suppliers": make_suppliers(),
        "raw_promotions": make_promotions(),
        "raw_products": products,
        "raw_customers": customers,
        "raw_orders": select(
            orders,
            "order_id",
            "customer_id",
            "store_id",
            "promotion_id",
            "visitor_id",
            "order_status=status",
            "channel=raw_channel",
            "ordered_at",
            "shipping_fee",
        ),
        "raw_order_items": select(
            items,
            "order_item_id",
            "order_id",
            "line_number",
            "product_id",
            "quantity",
            "unit_price",
            "discount_amount",
        ),
        "raw_payments": payments,
        "raw_shipments": shipments,
        "raw_returns": returns,
        "raw_web_sessions": sessions,
        "raw_support_tickets": tickets,
        "raw_inventory": inventory,
        "raw_monthly_targets": targets,
    }


def render(rows: list[Row]) -> bytes:
    """Write rows as CSV: UTF-8, line feeds, empty for nothing."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode("utf-8")


def main() -> int:
    """Write or check the files; the exit code says whether the check failed."""
    parser = argparse.ArgumentParser(description="Write the seed files of the retail example.")
    parser.add_argument("--check", action="store_true", help="compare with the files on disk")
    check = parser.parse_args().check
    total = 0
    stale: list[str] = []
    SEEDS_DIR.mkdir(exist_ok=True)
    for name, rows in build().items():
        path, content = SEEDS_DIR / f"{name}.csv", render(rows)
        total += len(rows)
        if not check:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            stale.append(path.name)
        sys.stdout.write(f"{name:22}{len(rows):>7}\n")
    sys.stdout.write(f"{'all':22}{total:>7}\n")
    if stale:
        sys.stderr.write(f"out of date: {', '.join(stale)}\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
