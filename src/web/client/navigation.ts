/** Whether a navigation is not yet seen by a page: its h1 takes the focus then. */
let waiting = false;

export function announceNavigation(): void {
  waiting = true;
}

export function takeNavigation(): boolean {
  const was = waiting;
  waiting = false;
  return was;
}
