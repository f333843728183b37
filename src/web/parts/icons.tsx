const PATHS = {
  arrow: 'M5 12h14m-5-5l5 5-5 5',
  bin: 'M4 7h16M9 7V4h6v3m-8 0l1 13h8l1-13',
  check: 'M5 12l5 5 9-10',
  chevron: 'M9 6l6 6-6 6',
  clock: 'M12 3a9 9 0 100 18 9 9 0 000-18zm0 4v5l3 2',
  coin: 'M12 3a9 9 0 100 18 9 9 0 000-18zm0 5v8m-2.5-6h4a1.5 1.5 0 010 3h-3a1.5 1.5 0 000 3h4',
  copy: 'M9 9h11v11H9zM5 15V4h11',
  cross: 'M6 6l12 12M18 6L6 18',
  divide: 'M4 5h16v14H4zM12 5v14',
  down: 'M6 9l6 6 6-6',
  download: 'M12 4v12m0 0l5-5m-5 5l-5-5M4 20h16',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  extent: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  features: 'M4 18l5-12 6 4 5 10z',
  filter: 'M4 6h16M7 12h10M10 18h4',
  flag: 'M5 21V4h12l-2 4 2 4H5',
  folder: 'M3 6a2 2 0 012-2h4l2 2h8a2 2 0 012 2v9a2 2 0 01-2 2H5a2 2 0 01-2-2z',
  gear: 'M12 9a3 3 0 100 6 3 3 0 000-6zM19 12l2 1-2 4-2-.5-2 1.5-.5 2h-5L9 18l-2-1.5-2 .5-2-4 2-1-2-1 2-4 2 .5L9 6l.5-2h5L15 6l2 1.5 2-.5 2 4z',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  hook: 'M9 7a3 3 0 116 0c0 3-4 4-4 8a3 3 0 11-6 0M13 15h6m0 0l-2-2m2 2l-2 2',
  info: 'M12 3a9 9 0 100 18 9 9 0 000-18zm0 8v5m0-8h.01',
  key: 'M14 10a4 4 0 10-3.5 4L12 15.5V18h2.5v2.5H18V17l-4.3-4.3A4 4 0 0014 10z',
  layers: 'M12 4l9 5-9 5-9-5zM4 14l8 4.5L20 14',
  line: 'M4 18L9 9l5 5 6-10',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  lock: 'M6 11h12v9H6zM8 11V8a4 4 0 018 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  mesh: 'M3 19L9 5l12 3-6 12zM9 5l6 15M3 19l18-11',
  moon: 'M20 14a8 8 0 01-10-10 8 8 0 1010 10z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  move: 'M4 12h13m-4-4l4 4-4 4M20 5v14',
  next: 'M6 5v14l9-7zM18 5v14',
  out: 'M10 4H5v16h5M15 8l4 4-4 4m4-4H9',
  minus: 'M5 12h14',
  pause: 'M8 5v14M16 5v14',
  people:
    'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zm-6 9c0-3.5 2.7-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 010 6.5m1 3.3c2.4.7 4 2.9 4 5.7',
  person: 'M12 12a4 4 0 100-8 4 4 0 000 8zm-7 9c0-4 3-6.5 7-6.5s7 2.5 7 6.5',
  play: 'M7 4l12 8-12 8z',
  plus: 'M12 5v14M5 12h14',
  previous: 'M18 5v14L9 12zM6 5v14',
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14zm5 12l5 5',
  share:
    'M8.5 13.5l7 4M15.5 6.5l-7 4M6 14.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM18 8a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM18 21a2.5 2.5 0 100-5 2.5 2.5 0 000 5z',
  sortDown: 'M12 5v14m0 0l-5-5m5 5l5-5',
  sortUp: 'M12 19V5m0 0l-5 5m5-5l5 5',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 3v1m0 16v1M3 12h1m16 0h1M5.6 5.6l.7.7m11.4 11.4l.7.7m0-12.8l-.7.7M6.3 17.7l-.7.7',
  transfer: 'M7 4v14m0 0l-3-3m3 3l3-3M17 20V6m0 0l-3 3m3-3l3 3',
  upload: 'M12 16V4m0 0L7 9m5-5l5 5M4 16v3a1 1 0 001 1h14a1 1 0 001-1v-3',
  warning: 'M12 4l9 16H3zM12 10v4m0 3h.01',
  wave: 'M3 9c3-3 6-3 9 0s6 3 9 0M3 15c3-3 6-3 9 0s6 3 9 0',
};

export type IconName = keyof typeof PATHS;

/** A picture beside words; screen readers do not read it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class={name === 'more' ? 'icon-picture heavy' : 'icon-picture'} viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
