load 'experiments/history/methods.gp'
set title "Filters asked per question, EDGAR bursty, 50 million bits (figure 10)"
set logscale x 2
set logscale y
set format y "%g"
set xrange [12:11000]
set xlabel "ticks asked for"
set ylabel "probes"
set key top left samplen 1
file = data.'error_length.csv'
pick(m) = stringcolumn(1) eq "edgar bursty" && stringcolumn(5) eq m && stringcolumn(6) eq "seen" ? \
  column(11) : NaN
plot x with lines dt 2 lc rgb "#000000" title "single, without early end", \
  log(x) / log(2) + 1 / x with lines dt 2 lc rgb "#1f78b4" title "level, without early end", \
  for [j = 1:9] file using 3:(pick(methods[j])) with linespoints lw 2 ps 0.5 lc rgb colours[j] \
    title methods[j]
