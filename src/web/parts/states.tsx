import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { to } from '../client/address.ts';
import { ApiError, isNotFound, sentenceOf } from '../client/problem.ts';
import type { Query } from '../client/query.ts';
import { texts } from '../texts.ts';
import { Button, ButtonLink } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';
import { useTitle } from './page-head.tsx';
import { toast } from './toast.tsx';

const SKELETON_AFTER_MS = 200;

/** Grey shapes of rows; nothing for the first 200 ms, so that quick answers do not flash. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="skeleton" role="status" aria-busy="true" aria-label={texts.loading}>
      {shown &&
        Array.from({ length: rows }, (_, index) => (
          <div key={index}>
            <i />
            <i />
            <i />
          </div>
        ))}
    </div>
  );
}

interface StateProps {
  title: string;
  children?: ComponentChildren;
  icon?: IconName | undefined;
  /** What to do next. */
  actions?: ComponentChildren;
  bad?: boolean;
  /** There is nothing else on the page: its title is that of the page. */
  alone?: boolean;
}

const PageTitle = ({ title }: { title: string }) => (
  <h1 ref={useTitle(title)} tabIndex={-1}>
    {title}
  </h1>
);

const State = ({ title, children, icon = 'folder', actions, bad = false, alone = false }: StateProps) => (
  <div class={bad ? 'state bad' : 'state'}>
    <Icon name={icon} />
    {alone ? <PageTitle title={title} /> : <h2>{title}</h2>}
    {children && <p>{children}</p>}
    {actions && <div class="row">{actions}</div>}
  </div>
);

/** A list without entries: what to do first. */
export const Empty = (props: Omit<StateProps, 'bad'>) => <State {...props} />;

/** What needs a right that the reader lacks: which, and who can give it. */
export const NoRight = (props: Omit<StateProps, 'bad' | 'icon'>) => <State icon="lock" {...props} />;

/** The sentence of an error, a way to try again, and the trace id for the operator. */
export function ErrorState({
  error,
  again,
  title = texts.failed,
  alone = false,
}: {
  error: unknown;
  again?: () => void;
  title?: string;
  alone?: boolean;
}) {
  if (isNotFound(error))
    return (
      <State
        title={texts.notFound}
        alone={alone}
        icon="search"
        actions={
          <ButtonLink kind="main" href={to('/projects')}>
            {texts.toProjects}
          </ButtonLink>
        }
      >
        {texts.notFoundWhy}
      </State>
    );
  if (error instanceof ApiError && error.status === 403)
    return (
      <NoRight title={texts.noRight} alone={alone}>
        {sentenceOf(error)}
      </NoRight>
    );
  const traceId = error instanceof ApiError ? error.traceId : undefined;
  return (
    <State
      bad
      icon="warning"
      alone={alone}
      title={title}
      actions={
        <>
          {again && (
            <Button kind="main" onClick={again}>
              {texts.again}
            </Button>
          )}
          {traceId && (
            <Button kind="ghost" icon="copy" onClick={() => copyText(traceId)}>
              {texts.trace(traceId)}
            </Button>
          )}
        </>
      }
    >
      {sentenceOf(error)}
    </State>
  );
}

/** Copies to the clipboard and says so. */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast(texts.copied);
}

/**
 * Shows the answer of a query; while there is none, a skeleton or its error. An answer stays on screen when a later
 * question fails.
 */
export function Loaded<T>({
  query,
  children,
  rows = 4,
  alone = false,
}: {
  query: Query<T>;
  children: (data: T) => ComponentChildren;
  rows?: number;
  /** The whole page depends on it. */
  alone?: boolean;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== undefined && !query.loading)
    return <ErrorState error={query.error} again={query.again} alone={alone} />;
  return <Skeleton rows={rows} />;
}
