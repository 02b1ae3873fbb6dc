# The same colours in all figures of histories.
array methods[14] = ["single", "single k=3", "tree uniform", "tree optimal", "tree learned", \
  "level uniform", "level optimal", "level learned", "level planned", "level doubting", \
  "timeline", "exact", "single published k", "level published k"]
array colours[14] = ["#000000", "#999999", "#c7e9a0", "#66a61e", "#1b6e1b", "#c6dbef", "#1f78b4", \
  "#6baed6", "#e6ab02", "#d95f02", "#e7298a", "#7570b3", \
  "#a6761d", "#08306b"]
