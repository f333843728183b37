/**
 * The pages of the console. To add one:
 *
 * 1. `pages/<thing>.tsx` has one default export, a component that gets `PageProps` (the parameters of the path). It
 *    begins with `<PageHead title="…">`, which is the one h1 and names the tab, reads with `useQuery` and `api`, and
 *    shows each state: `<Loaded query={…}>` for loading and errors, `<Empty>`, `<NoRight>`.
 * 2. A line below, with a lazy import: its code loads when the page is opened for the first time. Those of
 *    administrators and of a tenant are named in `admin/pages.ts` and `tenant/pages.ts`. The address must be among
 *    those that the server answers with the page (`src/console/addresses.ts`). Links to the page in bar and navigation
 *    (`app/navigation.tsx`) are shown as soon as its line is here.
 * 3. Its words in `texts/<thing>.ts`; those of several pages in `texts.ts`. Its styles, if any, at the end of
 *    `styles/pages.css`.
 * 4. A test in `test/web/`, which drives it in Chromium by role and name (`test/world/console.ts`).
 */
import type { Route } from '../app/router.ts';

/** The pages of administrators load together, and so do those of a tenant: they are small and alike. */
const admin = (name: keyof typeof import('./admin/pages.ts')) => async () => ({
  default: (await import('./admin/pages.ts'))[name],
});
const tenant = (name: keyof typeof import('./tenant/pages.ts')) => async () => ({
  default: (await import('./tenant/pages.ts'))[name],
});

export const routes: readonly Route[] = [
  { path: '/signin', page: () => import('./sign-in.tsx'), open: true },
  { path: '/activate', page: () => import('./activate.tsx'), open: true },
  { path: '/reset', page: () => import('./reset.tsx'), open: true },
  { path: '/profile', page: () => import('./profile.tsx') },
  { path: '/admin/queue', page: admin('Queue') },
  { path: '/admin/accounts', page: admin('Accounts') },
  { path: '/admin/groups', page: admin('Groups') },
  { path: '/admin/tenants', page: admin('Tenants') },
  { path: '/admin/features', page: admin('Features') },
  { path: '/admin/store', page: admin('Store') },
  { path: '/admin/settings', page: admin('Settings') },
  { path: '/admin/audit', page: admin('Audit') },
  { path: '/tenant/members', page: tenant('Members') },
  { path: '/tenant/credits', page: tenant('Credits') },
  { path: '/tenant/features', page: tenant('Features') },
  { path: '/tenant/keys', page: tenant('Keys') },
  { path: '/tenant/webhooks', page: tenant('Webhooks') },
  { path: '/tenant/audit', page: tenant('Audit') },
  { path: '/projects', page: () => import('./projects.tsx') },
  { path: '/projects/:id', page: () => import('./project.tsx') },
  { path: '/projects/:id/members', page: () => import('./project-members.tsx') },
  { path: '/projects/:id/activity', page: () => import('./project-activity.tsx') },
  { path: '/projects/:id/settings', page: () => import('./project-settings.tsx') },
  { path: '/search', page: () => import('./search.tsx') },
  { path: '/projects/:id/map', page: () => import('./project-map.tsx') },
  { path: '/datasets/:id', page: () => import('./dataset-map.tsx') },
  { path: '/datasets/:id/chart', page: () => import('./dataset-chart.tsx') },
  { path: '/datasets/:id/table', page: () => import('./dataset-table.tsx') },
  { path: '/datasets/:id/metadata', page: () => import('./dataset-metadata.tsx') },
  { path: '/datasets/:id/history', page: () => import('./dataset-history.tsx') },
  { path: '/datasets/:id/use', page: () => import('./dataset-use.tsx') },
  { path: '/transfers', page: () => import('./transfers.tsx') },
  { path: '/transfers/:id', page: () => import('./transfer.tsx') },
  { path: '/upload', page: () => import('./upload.tsx') },
  { path: '/bin', page: () => import('./bin.tsx') },
  { path: '/s/:token', page: () => import('./share.tsx'), open: true },
];
