set title "Mean excess at equal memory: Zipf(1.0), m = 6 n, k = 4, rounding up"
set logscale y
set xlabel "lambda"
set ylabel "excess, hits"
set format y "%g"
set key outside right Left reverse samplen 1.5
file = data.'error_lambda.csv'
pick(f, c) = stringcolumn(4) eq f ? column(c) : NaN
plot file using 2:(pick("plain", 5)) with linespoints lw 2 title "basic, plain", \
  file using 2:(pick("minimum", 5)) with linespoints lw 2 title "basic, minimum increase", \
  file using 2:(pick("heat_filter", 5)) with linespoints lw 2 title "heat\\_filter"
