/** Whether a number is a Float32, or the shortest decimal number that is read as one. */
export function isSingle(value: number): boolean {
  const float = Math.fround(value);
  if (float === value || Number.isNaN(value)) return true;
  if (!Number.isFinite(float)) return false;
  // Six digits always survive.
  const thousandths = Math.round(Math.abs(value) * 1000);
  if (thousandths < 1_000_000 && thousandths / 1000 === Math.abs(value)) return true;
  for (let digits = 1; digits <= 9; digits++) {
    const shorter = Number(float.toPrecision(digits));
    if (Math.fround(shorter) === float) return shorter === value;
  }
  return false;
}
