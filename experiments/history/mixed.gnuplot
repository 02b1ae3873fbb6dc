load 'experiments/history/methods.gp'
shown = "1 3 4 5 6 8 9 10 11 12"
set title "Operations per second over the share of adds, EDGAR bursty, |q| = 128 (figure 16)"
set logscale y
set format y "%.0s %c"
set xlabel "adds, %"
set ylabel "operations per second"
set key outside right Left reverse samplen 1.5
file = data.'mixed.csv'
pick(m) = stringcolumn(3) eq m ? 1e9 / column(4) : NaN
plot for [j in shown] file using 2:(pick(methods[j + 0])) with linespoints lw 2 ps 0.5 lc rgb colours[j + 0] \
  title methods[j + 0]
