set title "Time to allocate the bits, EDGAR bursty (figure 18)"
set logscale y
set format y "%.0s %cs"
set xlabel "ticks of the span / 1000"
set ylabel "time"
set key outside right Left reverse samplen 1.5
set yrange [1e-6:10]
file = data.'allocation.csv'
pick(m) = stringcolumn(3) eq m ? column(5) * 1e-6 : NaN
plot file using ($2 / 1000):(pick("tree")) with linespoints lw 2 title "tree", \
  file using ($2 / 1000):(pick("level")) with linespoints lw 2 title "level"
