/**
 * The value that would stand at an index if the values were sorted, in linear time (Hoare's quickselect); puts them in
 * another order. Random pivots, because a file chooses the values.
 */
export function nthSmallest(values: Float64Array, index: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[low + Math.floor(Math.random() * (high - low + 1))]!;
    let [left, right] = [low, high];
    while (left <= right) {
      while (values[left]! < pivot) left++;
      while (values[right]! > pivot) right--;
      if (left > right) break;
      const value = values[left]!;
      values[left++] = values[right]!;
      values[right--] = value;
    }
    if (index <= right) high = right;
    else if (index >= left) low = left;
    else break;
  }
  return values[index]!;
}
