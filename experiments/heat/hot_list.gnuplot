set title "Recall of the 100 hottest items, lambda = 0.9"
set logscale x
set xlabel "entries of the list"
set xrange [90:5500]
set xtics (100, 200, 500, 1000, 2000, 5000)
set ylabel "recall"
set yrange [0:1.05]
set key outside right Left reverse samplen 1.5
file = data.'hot_list.csv'
array streams[4] = ["zipf 0.8", "zipf 1.0", "zipf 1.2", "blog paths"]
pick(i, b) = stringcolumn(1) eq streams[i] && stringcolumn(4) eq b && column(2) == 0.9 ? column(5) : NaN
plot for [i = 1:4] file using 3:(pick(i, "list")) with linespoints lc i lw 2 title streams[i], \
  for [i = 1:4] file using 3:(pick(i, "list and filter")) with linespoints lc i dt 2 lw 2 \
    title streams[i].", with filter"
