load 'experiments/history/methods.gp'
shown = "1 13 2 3 4 5 6 7 14 8 9 10 11"
set title "Probes per query, EDGAR bursty, 50 million bits (figure 10)"
set logscale x 2
set logscale y
set format y "%g"
set xrange [12:11000]
set xtics (16, 128, 1024, 8192)
set xlabel "ticks of a query"
set ylabel "probes"
set key outside right Left reverse samplen 1.5
file = data.'error_length.csv'
pick(m) = stringcolumn(1) eq "edgar bursty" && stringcolumn(5) eq m ? \
  column(11) : NaN
plot x with lines dt 2 lc rgb "#000000" title "single, without early exit", \
  log(x) / log(2) + 1 / x with lines dt 2 lc rgb "#1f78b4" title "level, without early exit", \
  for [j in shown] file using 3:(pick(methods[j + 0])) with linespoints lw 2 ps 0.5 lc rgb colours[j + 0] \
    title methods[j + 0]
