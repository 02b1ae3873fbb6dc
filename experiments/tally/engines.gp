# The same colours in all figures of tallies.
array engines[3] = ["spectral", "dynamic", "tally"]
array colours[3] = ["#d95f02", "#1f78b4", "#e7298a"]
