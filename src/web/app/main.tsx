import { effect } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { followChanges } from '../client/live.ts';
import { forgetAnswers } from '../client/query.ts';
import { resume, session } from '../client/session.ts';
import { routes } from '../pages/routes.ts';
import { closeDialogs, Dialogs } from '../parts/dialog.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Toasts } from '../parts/toast.tsx';
import { KEPT } from '../uploads/state.ts';
import { NotFound } from './not-found.tsx';
import { PasswordAgain } from './password-again.tsx';
import { go, matchRoute, type PageProps, place, type Route, startRouter } from './router.ts';
import { Shell } from './shell.tsx';

startRouter(routes);
followChanges();
resume().catch(() => {
  session.value = 'out';
});

let wasSignedIn = false;

/** Where a reader without a session goes back to after the sign-in: in the address, so that it survives a reload. */
effect(() => {
  if (session.value === 'in') wasSignedIn = true;
  if (session.value !== 'out') return;
  // a page that is open to all asks before it is known whether somebody is signed in
  if (wasSignedIn) {
    closeDialogs();
    forgetAnswers();
  }
  wasSignedIn = false;
  const { path } = place.peek();
  if (path === '/signin' || matchRoute(routes, path)?.route.open) return;
  const { pathname, search, hash } = window.location;
  const from = path === '/' ? '' : `?to=${encodeURIComponent(path + search + hash)}`;
  if (pathname) go(`/signin${from}`, { replace: true });
});

/** Uploads of before a reload go on, whatever the page. */
effect(() => {
  if (session.value !== 'in' || localStorage.getItem(KEPT) === null) return;
  void import('../uploads/uploads.ts').then(({ resumeUploads }) => resumeUploads());
});

function App() {
  const { path } = place.value;
  if (path === '/') return session.value === 'in' ? <Redirect path="/projects" /> : null;
  const found = matchRoute(routes, path);
  if (found?.route.open) return <Page key={found.route.path} {...found} />;
  if (session.value !== 'in') return null;
  return (
    <Shell>
      {found === undefined ? (
        <NotFound />
      ) : (
        <Page key={`${found.route.path} ${Object.values(found.params)}`} {...found} />
      )}
    </Shell>
  );
}

function Redirect({ path }: { path: string }) {
  useEffect(() => go(path, { replace: true }), [path]);
  return null;
}

/** The code of a page loads when it is opened for the first time. */
const pages = new Map(routes.map((route) => [route, lazy<PageProps>(route.page, { alone: true })]));

function Page({ route, params }: { route: Route; params: Record<string, string> }) {
  const Content = pages.get(route)!;
  return <Content params={params} />;
}

render(
  <>
    <App />
    <PasswordAgain />
    <Dialogs />
    <Toasts />
  </>,
  document.getElementById('app')!,
);
