load 'experiments/history/methods.gp'
set terminal svg size 1100,460 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 title "Time of adds and of questions, 50 million bits (figures 12 and 13)"
set logscale y
set format y "%.0s %cs"
set yrange [1e-8:1e-2]
array timed[9] = ["single", "tree uniform", "tree optimal", "level uniform", "level learned", \
  "level planned", "level doubting", "timeline", "exact"]
array shades[9] = ["#000000", "#a6d854", "#66a61e", "#1f78b4", "#a6cee3", "#e6ab02", "#d95f02", \
  "#e7298a", "#7570b3"]
set title "an add, 50 000 random items"
set xlabel "ticks of the span / 1000"
set ylabel "time"
set key top right samplen 1 spacing 0.9
file = data.'adds.csv'
pick(m) = stringcolumn(3) eq m ? column(4) * 1e-9 : NaN
plot for [j = 1:9] file using ($2 / 1000):(pick(timed[j])) with linespoints lw 2 ps 0.5 \
  lc rgb shades[j] title timed[j]
unset key
set logscale x 2
set xrange [12:11000]
set xlabel "ticks asked for"
file = data.'questions.csv'
pick(s, m) = stringcolumn(1) eq s && stringcolumn(4) eq m ? column(5) * 1e-9 : NaN
set title "a question, the same items"
plot for [j = 1:9] file using 3:(pick("random uniform", timed[j])) with linespoints lw 2 ps 0.5 \
  lc rgb shades[j] title timed[j]
set title "a question, EDGAR bursty"
plot for [j = 1:9] file using 3:(pick("edgar bursty", timed[j])) with linespoints lw 2 ps 0.5 \
  lc rgb shades[j] title timed[j]
unset multiplot
