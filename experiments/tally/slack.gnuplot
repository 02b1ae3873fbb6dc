load 'experiments/tally/engines.gp'
set terminal svg size 1300,420 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.05, 0.80, 0.15, 0.83 spacing 0.055, 0 title "Spectral filters with a spare bit for 2 to 16 counters: all arrive and all leave, n = 1000, M = 100 n (figures 8 and 9)"
set xlabel "theta"
@legend_right
file = data.'slack_skews.csv'
array slacks[4] = [2, 4, 8, 16]
array shades[4] = ["#fdae61", "#f46d43", "#d95f02", "#7f2704"]
spectral(s, c) = stringcolumn(4) eq "spectral" && column(5) == s ? column(c) : NaN
dynamic(c) = stringcolumn(4) eq "dynamic" ? column(c) : NaN
set title "time in ms"
set yrange [0:*]
plot for [j = 1:4] file using 3:(spectral(slacks[j], 8)) with linespoints lw 2 ps 0.5 lc rgb shades[j] \
    title sprintf("spectral, 1 bit for %d", slacks[j]), \
  file using 3:(dynamic(8)) with linespoints lw 2 ps 0.5 lc rgb colours[2] title "dynamic"
unset key
set title "share of it in rebuilding, %"
plot for [j = 1:4] file using 3:(100 * spectral(slacks[j], 10)) with linespoints lw 2 ps 0.5 lc rgb shades[j], \
  file using 3:(100 * dynamic(10)) with linespoints lw 2 ps 0.5 lc rgb colours[2]
set title "counters shifted inside of their group"
set logscale y
set yrange [100:200000]
plot for [j = 1:4] file using 3:(spectral(slacks[j], 13)) with linespoints lw 2 ps 0.5 lc rgb shades[j]
unset multiplot
