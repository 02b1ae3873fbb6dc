load 'experiments/history/methods.gp'
set title "Operations per second over the share of adds, EDGAR bursty, |q| = 128 (figure 16)"
set logscale y
set format y "%.0s %c"
set xlabel "adds, %"
set ylabel "operations per second"
set key outside right samplen 1
array timed[9] = ["single", "tree uniform", "tree optimal", "level uniform", "level learned", \
  "level planned", "level doubting", "timeline", "exact"]
array shades[9] = ["#000000", "#a6d854", "#66a61e", "#1f78b4", "#a6cee3", "#e6ab02", "#d95f02", \
  "#e7298a", "#7570b3"]
file = data.'mixed.csv'
pick(m) = stringcolumn(3) eq m ? 1e9 / column(4) : NaN
plot for [j = 1:9] file using 2:(pick(timed[j])) with linespoints lw 2 ps 0.5 lc rgb shades[j] \
  title timed[j]
