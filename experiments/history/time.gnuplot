load 'experiments/history/methods.gp'
shown = "1 3 4 5 6 8 9 10 11 12"
set terminal svg size 1300,460 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.07, 0.83, 0.15, 0.85 spacing 0.05, 0 title "Time of adds and of queries, 50 million bits (figures 12 and 13)"
set logscale y
set format y "%.0s %cs"
set yrange [1e-8:1e-2]
set title "an add, 50 000 random items"
set xlabel "ticks of the span / 1000"
set ylabel "time"
@legend_right
file = data.'adds.csv'
pick(m) = stringcolumn(3) eq m ? column(4) * 1e-9 : NaN
plot for [j in shown] file using ($2 / 1000):(pick(methods[j + 0])) with linespoints lw 2 ps 0.5 \
  lc rgb colours[j + 0] title methods[j + 0]
unset key
unset ylabel
set logscale x 2
set xrange [12:11000]
set xtics (16, 128, 1024, 8192)
set xlabel "ticks of a query"
file = data.'questions.csv'
pick(s, m) = stringcolumn(1) eq s && stringcolumn(4) eq m ? column(5) * 1e-9 : NaN
set title "a query, the same items"
plot for [j in shown] file using 3:(pick("random uniform", methods[j + 0])) with linespoints lw 2 ps 0.5 \
  lc rgb colours[j + 0] title methods[j + 0]
set title "a query, EDGAR bursty"
plot for [j in shown] file using 3:(pick("edgar bursty", methods[j + 0])) with linespoints lw 2 ps 0.5 \
  lc rgb colours[j + 0] title methods[j + 0]
unset multiplot
