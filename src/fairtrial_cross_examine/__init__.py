"""Published output on the stand: `fairtrial cross-examine`. See docs/cross-examine.md.

Figures that a load tool printed, or that somebody put into a table, are held against each other by arithmetic alone.
"""
