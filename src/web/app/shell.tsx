import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { to } from '../client/address.ts';
import { connected } from '../client/live.ts';
import { account, chooseTenant, signOut, tenant, tenants } from '../client/session.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Dialog, openDialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { Avatar, initials } from '../parts/page-head.tsx';
import { texts } from '../texts.ts';
import { Navigation, sectionOf } from './navigation.tsx';
import { go, pageExists, place } from './router.ts';
import { chooseTheme, type Theme, theme } from './theme.ts';
import { UploadIndicator } from './upload-indicator.tsx';

const words = texts.shell;

/** What stands round every page: bar, navigation, and tabs below on a phone. */
export function Shell({ children }: { children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  return (
    <>
      <button type="button" class="skip button" onClick={() => main.current?.focus()}>
        {words.skip}
      </button>
      <Top />
      <Offline />
      <div class="frame">
        <nav class="nav" aria-label={words.main}>
          <Navigation />
        </nav>
        <main id="main" ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
      <Bottom />
    </>
  );
}

function Top() {
  const inProject = /^\/projects\/([0-9a-f-]{36})/.exec(place.value.path)?.[1];
  return (
    <header class="top">
      <div>
        <a class="brand" href={to('/projects')} aria-label={texts.product}>
          <span>
            <Icon name="wave" />
          </span>
          <span>{texts.product}</span>
        </a>
        <span class="separator" />
        <TenantChoice />
      </div>
      {pageExists('/search') ? <Search /> : <span />}
      <div>
        <UploadIndicator />
        {pageExists('/upload') && (
          <ButtonLink
            class="upload"
            kind="main"
            icon="upload"
            href={to(inProject === undefined ? '/upload' : `/upload?project=${inProject}`)}
          >
            {words.upload}
          </ButtonLink>
        )}
        {pageExists('/search') && (
          <span class="narrow-only">
            <ButtonLink kind="ghost" icon="search" label={words.search} href={to('/search')} />
          </span>
        )}
        <AccountMenu />
      </div>
    </header>
  );
}

function TenantChoice() {
  const name = tenant.value?.name ?? '';
  if (tenants.value.length < 2) return <span class="tenant-name quiet nowrap wide-only">{name}</span>;
  return (
    <Menu
      label={`${words.tenant}: ${name}`}
      small
      items={tenants.value.map((one) => ({
        name: one.name,
        checked: one.id === tenant.value?.id,
        run() {
          chooseTenant(one.id);
          go('/projects');
        },
      }))}
    >
      <span class="tenant-name">{name}</span>
      <Icon name="down" />
    </Menu>
  );
}

function Search() {
  const [text, setText] = useState(place.value.query.get('q') ?? '');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  return (
    <form
      class="find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        go(`/search?q=${encodeURIComponent(text)}`);
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        class="input"
        type="search"
        aria-label={words.search}
        placeholder={words.searchHint}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </form>
  );
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');

function AccountMenu() {
  const { name, id } = account.value!;
  const colours: [Theme, string][] = [
    ['light', words.light],
    ['dark', words.dark],
    ['system', words.system],
  ];
  return (
    <Menu
      round
      label={words.account(initials(name || id), name || id)}
      head={
        <>
          <b>{name}</b>
          <br />
          {id}
        </>
      }
      items={[
        pageExists('/profile') && { name: words.profile, icon: 'person', href: to('/profile') },
        { name: words.guide, icon: 'info', href: to('/docs/guide') },
        { name: words.api, icon: 'list', href: to('/docs') },
        ...colours.map(([value, title], index) => ({
          name: `${words.colours}: ${title}`,
          checked: theme.value === value,
          line: index === 0,
          run: () => chooseTheme(value),
        })),
        { name: texts.signOut, icon: 'out', line: true, run: signOut },
      ]}
    >
      <Avatar name={name || id} />
    </Menu>
  );
}

const OFFLINE_AFTER_MS = 3000;

/** Told after some seconds, since a stream ends and begins again now and then. */
function Offline() {
  const [shown, setShown] = useState(false);
  const ended = !connected.value;
  useEffect(() => {
    if (!ended) return setShown(false);
    const timer = setTimeout(() => setShown(true), OFFLINE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [ended]);
  return shown && ended ? (
    <p class="banner" role="status">
      <Icon name="warning" />
      {texts.offline}
    </p>
  ) : null;
}

function Bottom() {
  const section = sectionOf(place.value.path);
  const links: [string, string, IconName][] = [
    ['/projects', words.projects, 'folder'],
    ['/upload', words.upload, 'upload'],
    ['/transfers', words.transfers, 'transfer'],
  ];
  const shown = links.filter(([path]) => pageExists(path));
  return (
    <nav class="bottom" aria-label={words.main}>
      {shown.map(([path, name, icon]) => (
        <a key={path} href={to(path)} aria-current={section === path ? 'page' : undefined}>
          <Icon name={icon} />
          {name}
        </a>
      ))}
      <button type="button" aria-haspopup="dialog" onClick={() => openMore()}>
        <Icon name="menu" />
        {texts.more}
      </button>
    </nav>
  );
}

function openMore(): void {
  openDialog((close) => (
    <Dialog title={texts.more} onClose={close}>
      <div onClick={(event) => event.target instanceof Element && event.target.closest('a') && close()}>
        <Navigation />
      </div>
      <footer>
        <Button icon="out" onClick={signOut}>
          {texts.signOut}
        </Button>
      </footer>
    </Dialog>
  ));
}
