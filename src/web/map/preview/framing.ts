/** Space for legend and time bar. */
export function paddingOf(container: HTMLElement) {
  const { clientWidth: width, clientHeight: height } = container;
  if (width < 500) return { top: Math.min(104, height / 3), bottom: Math.min(116, height / 3), left: 12, right: 64 };
  const side = Math.min(56, width / 8);
  return { top: Math.min(24, height / 8), bottom: Math.min(84, height / 5), left: side, right: side };
}

/** A box that MapLibre takes: within Web Mercator, and across the antimeridian beyond 180°. */
export function fitted([west, south, east, north]: readonly [number, number, number, number]): [
  number,
  number,
  number,
  number,
] {
  const within = (latitude: number) => Math.min(85, Math.max(-85, latitude));
  return [west, within(south), west > east ? east + 360 : east, within(north)];
}
