// The most likely path of hidden states for a sequence of observations (Viterbi), in logarithms. `arrive` is launched
// for every observation: a work-group per state finds the best state to come from, the lowest of equals. Row `from`
// of `transition` holds the logarithms of the probabilities to go from there.
kernel void start(global const float* initial, global const float* emission, global float* likelihood,
                  uint states, uint observed) {
  const uint state = get_global_id(0);
  if (state < states) likelihood[state] = initial[state] + emission[observed * states + state];
}

kernel void arrive(global const float* before, global const float* transition, global const float* emission,
                   global float* likelihood, global uint* came_from, uint states, uint step, uint observed,
                   local float* best, local uint* best_from) {
  const uint state = get_group_id(0), l = get_local_id(0), size = get_local_size(0);
  float mine = -INFINITY;
  uint mine_from = 0;
  for (uint from = l; from < states; from += size) {
    const float path = before[from] + transition[from * states + state];
    if (path > mine) {
      mine = path;
      mine_from = from;
    }
  }
  best[l] = mine;
  best_from[l] = mine_from;
  for (uint reach = size / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < reach) {
      const bool equal = best[l + reach] == best[l] && best_from[l + reach] < best_from[l];
      if (best[l + reach] > best[l] || equal) {
        best[l] = best[l + reach];
        best_from[l] = best_from[l + reach];
      }
    }
  }
  if (l == 0) {
    likelihood[state] = best[0] + emission[observed * states + state];
    came_from[step * states + state] = best_from[0];
  }
}

// One work-item walks back from the most likely last state.
kernel void walk_back(global const float* likelihood, global const uint* came_from, global uint* path, uint states,
                      uint length) {
  uint state = 0;
  for (uint i = 1; i < states; ++i)
    if (likelihood[i] > likelihood[state]) state = i;
  for (uint at = length - 1; at > 0; --at) {
    path[at] = state;
    state = came_from[(at - 1) * states + state];
  }
  path[0] = state;
}
