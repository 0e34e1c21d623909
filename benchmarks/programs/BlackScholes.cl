// Prices of European options on a share without dividends, after Black and Scholes.

// The cumulative normal distribution by Abramowitz and Stegun, 26.2.17: within 7.5e-8.
float cumulative_normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float polynomial =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.3989422804f * exp(-0.5f * d * d) * polynomial;
  return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float* restrict price, global const float* restrict strike,
                          global const float* restrict years, global float* restrict call,
                          global float* restrict put, float rate, float volatility, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const float s = price[i], x = strike[i], t = years[i];
  const float deviation = volatility * sqrt(t);
  const float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / deviation;
  const float d2 = d1 - deviation;
  const float discounted = x * exp(-rate * t);
  const float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
