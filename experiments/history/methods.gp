# The same colours in all figures of histories.
file_of(name) = data.name.'.csv'
array methods[9] = ["single", "single k=3", "tree optimal", "tree learned", "level optimal", \
  "level learned", "level planned", "level doubting", "timeline"]
array colours[9] = ["#000000", "#999999", "#66a61e", "#a6d854", "#1f78b4", "#a6cee3", "#e6ab02", \
  "#d95f02", "#e7298a"]
colour(m) = m eq "tree uniform" ? "#66a61e" : m eq "level uniform" ? "#1f78b4" : \
  m eq "exact" ? "#7570b3" : "#000000"
