import { useEffect, useRef, useState } from 'preact/hooks';
import { place, setQuery } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api, type Project } from '../client/api.ts';
import { formatSize } from '../client/format.ts';
import { useQuery } from '../client/query.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Loaded, NoRight } from '../parts/states.tsx';
import { toastError } from '../parts/toast.tsx';
import { projectTexts } from '../texts/projects.ts';
import { uploadTexts as words } from '../texts/upload.ts';
import { chosenFiles, droppedFiles, groupParts } from '../uploads/files.ts';
import { isSending, uploads } from '../uploads/state.ts';
import { addFiles, pauseUpload, removeFinished, startUpload } from '../uploads/uploads.ts';
import { chooseProject } from './projects/choose.tsx';
import { usePrices } from './upload/prices.ts';
import { Row } from './upload/row.tsx';

/** Files into a project. What is sent goes on while the reader is on other pages. */
export default function UploadPage() {
  const id = place.value.query.get('project') ?? undefined;
  const project = useQuery(
    id === undefined ? undefined : `project ${id}`,
    (signal) => api('GET /api/metadata/project/{id}', { params: { id: id! }, signal }),
    { changes: ['project', 'members'] },
  );
  if (id === undefined)
    return (
      <>
        <PageHead title={words.title} />
        <section class="card">
          <Empty
            title={words.noProject}
            actions={
              <Button kind="main" icon="folder" onClick={askProject}>
                {words.chooseProject}
              </Button>
            }
          >
            {words.noProjectWhy}
          </Empty>
        </section>
        <Files />
      </>
    );
  return <Loaded query={project}>{(value) => <Into project={value} />}</Loaded>;
}

function askProject(): void {
  chooseProject({
    title: words.chooseProject,
    text: words.whichProject,
    action: words.here,
    run: ({ id }) => setQuery({ project: id }),
  });
}

function Into({ project }: { project: Project }) {
  const path = useQuery(`project ${project.id} path`, (signal) =>
    api('GET /api/metadata/project/{id}/path', { params: { id: project.id }, signal }),
  );
  const above = (path.data?.data ?? []).filter(({ id }) => id !== project.id);
  const names = [...above, project].map(({ name }) => name).join(' / ');
  return (
    <>
      <PageHead
        title={words.title}
        crumbs={[
          { name: projectTexts.title, path: '/projects' },
          ...[...above, project].map(({ id, name }) => ({ name, path: `/projects/${id}` })),
        ]}
      >
        {words.into} <a href={to(`/projects/${project.id}`)}>{names}</a> ·{' '}
        <button type="button" class="link" onClick={askProject}>
          {words.change}
        </button>
      </PageHead>
      {project.capabilities.canCreateContent ? (
        <Drop projectId={project.id} />
      ) : (
        <section class="card">
          <NoRight title={words.noRight}>{words.noRightWhy}</NoRight>
        </section>
      )}
      <Files />
    </>
  );
}

/** Files are chosen here, or dropped anywhere on the page. */
function Drop({ projectId }: { projectId: string }) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      droppedFiles(event.dataTransfer!)
        .then((found) => addFiles(groupParts(found), projectId))
        .catch(toastError);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragover', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragover', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [projectId]);
  function take(input: HTMLInputElement) {
    const picked = groupParts(chosenFiles(input.files!));
    // the same file can be chosen again
    input.value = '';
    addFiles(picked, projectId).catch(toastError);
  }
  return (
    <section class={over ? 'upload-drop over' : 'upload-drop'} aria-label={words.title}>
      <Icon name="upload" />
      <div class="grow">
        <b>{over ? words.dropNow : words.drop}</b>
        <p class="quiet">{words.dropHint}</p>
      </div>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={words.chooseFiles}
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        aria-label={words.chooseFolder}
        {...{ webkitdirectory: true }}
        onChange={(event) => take(event.currentTarget)}
      />
      <div class="row">
        <Button onClick={() => files.current?.click()}>{words.chooseFiles}</Button>
        <span class="wide-only">
          <Button onClick={() => folder.current?.click()}>{words.chooseFolder}</Button>
        </span>
      </div>
    </section>
  );
}

function Files() {
  const all = uploads.value;
  const ready = all.filter(({ state }) => state === 'ready');
  const active = all.filter(isSending);
  const prices = usePrices(ready);
  const credits = ready.reduce((sum, { id }) => sum + (prices.get(id)?.credits ?? 0), 0);
  if (all.length === 0) return null;
  const open = all.filter(({ state }) => state !== 'started');
  const total = (open.length > 0 ? open : all).reduce((sum, { size }) => sum + size, 0);
  return (
    <>
      <section class="card" aria-label={words.files}>
        <ul>
          {all.map((upload) => (
            <Row key={upload.id} upload={upload} price={prices.get(upload.id)} />
          ))}
        </ul>
      </section>
      <div class="upload-foot row between" hidden={ready.length + active.length === 0 && all.length === open.length}>
        <span>
          <b>{words.total((open.length > 0 ? open : all).length, formatSize(total))}</b>{' '}
          {credits > 0 && <span>· {words.sum(credits)}</span>}{' '}
          {active.length > 0 && <span class="quiet">· {words.goesOn}</span>}
        </span>
        <span class="row">
          {all.length > open.length && (
            <Button kind="ghost" onClick={removeFinished}>
              {words.clear}
            </Button>
          )}
          {active.length > 0 && (
            <Button kind="ghost" onClick={() => each(active, pauseUpload)}>
              {words.pauseAll}
            </Button>
          )}
          {ready.length > 0 && (
            <Button kind="main" onClick={() => each(ready, startUpload)}>
              {words.start(ready.length)}
            </Button>
          )}
        </span>
      </div>
    </>
  );
}

function each(list: readonly { id: string }[], task: (id: string) => void): void {
  for (const { id } of list) task(id);
}
