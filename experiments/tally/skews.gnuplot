load 'experiments/tally/engines.gp'
set terminal svg size 1300,420 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.05, 0.83, 0.15, 0.83 spacing 0.055, 0 title "All arrive and all leave, n = 1000, M = 100 n (figures 8 and 9)"
set xlabel "theta"
@legend_right
file = data.'skews.csv'
pick(e, c) = stringcolumn(2) eq e ? column(c) : NaN
set title "time in ms"
set yrange [0:*]
plot for [j = 1:3] file using 1:(pick(engines[j], 3)) with linespoints lw 2 lc rgb colours[j] title engines[j]
unset key
set title "share of it in rebuilding, %"
plot for [j = 1:2] file using 1:(100 * pick(engines[j], 5)) with linespoints lw 2 lc rgb colours[j] title engines[j]
set title "rebuilds"
set logscale y
set yrange [1:100000]
plot for [j = 1:2] file using 1:(pick(engines[j], 4)) with linespoints lw 2 lc rgb colours[j] title engines[j]
unset multiplot
