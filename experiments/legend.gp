# One legend for all panels of a figure, in a strip at its right, so that it lies on no curve. The
# figure leaves room for it with the margins of its multiplot.
legend_right = "set key at screen 0.99, 0.83 right top vertical Left reverse samplen 1.5"
