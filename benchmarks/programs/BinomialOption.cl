// Prices of European call options on a binomial tree with as many steps as a work-group has work-items less one
// (Cox, Ross and Rubinstein). A work-group walks one option's tree from its leaves to its root.
kernel void price_options(global const float* price, global const float* strike, global const float* years,
                          global float* call, float rate, float volatility, local float* values) {
  const uint option = get_group_id(0), l = get_local_id(0), steps = get_local_size(0) - 1;
  const float step_years = years[option] / (float)steps;
  const float up = volatility * sqrt(step_years);  // logarithm of a step upwards
  const float growth = exp(rate * step_years);
  const float up_probability = (growth - exp(-up)) / (exp(up) - exp(-up));
  const float up_weight = up_probability / growth, down_weight = (1.0f - up_probability) / growth;

  values[l] = fmax(price[option] * exp(up * (2.0f * (float)l - (float)steps)) - strike[option], 0.0f);
  for (uint left = steps; left > 0; --left) {
    float value = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < left) value = up_weight * values[l + 1] + down_weight * values[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < left) values[l] = value;
  }
  if (l == 0) call[option] = values[0];
}
