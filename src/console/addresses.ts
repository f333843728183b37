const below = (path: string, tabs: string) => tabs.split(' ').map((tab) => `${path}/${tab}`);

/** Addresses of the console, each of which is answered with the page. */
export const ADDRESSES: readonly string[] = [
  '/signin',
  '/activate',
  '/reset',
  '/projects',
  '/projects/:id',
  ...below('/projects/:id', 'map members activity settings'),
  '/datasets/:id',
  ...below('/datasets/:id', 'chart table metadata history use'),
  '/upload',
  '/transfers',
  '/transfers/:id',
  '/bin',
  '/search',
  '/profile',
  ...below('/tenant', 'members credits features keys webhooks audit'),
  ...below('/admin', 'queue accounts groups tenants features store settings audit'),
  '/s/:token',
];
