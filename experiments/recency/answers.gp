# The same colours in all figures of recency, and the same six panels.
array answers[13] = ["standard", "inferential", "census", "learned", "auto", "charged auto", \
  "generalized inferential", "buffer", "buffer inferential", "prior only", \
  "generalized", "age-partitioned", "age-partitioned inferential"]
array colours[13] = ["#000000", "#1f78b4", "#e7298a", "#66a61e", "#d95f02", "#fdae61", "#7570b3", \
  "#c7c7c7", "#999999", "#e6ab02", "#bcb8dc", "#8dd3c7", "#1b9e77"]
array names[6] = ["uniform", "uniform", "power law", "power law", "bursty", "bursty"]
array files[6] = ["uniform", "uniform", "power", "power", "bursty", "bursty"]
array windows[6] = [65536, 262144, 2048, 262144, 256, 32768]
panel(i) = sprintf("%s, w = %d", names[i], windows[i])
file(i) = data.'penalty_'.files[i].'.csv'
pick(i, a, c) = stringcolumn(1) eq names[i] && column(2) == windows[i] && stringcolumn(4) eq a ? \
  column(c) : NaN
set terminal svg size 1300,720 font 'sans,13' background '#ffffff'
set xlabel "bits per item of the window"
set xrange [0:26]
