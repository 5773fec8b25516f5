"""Do analyses come to the same conclusions: declared ones, and those that an analyst would try first?"""
