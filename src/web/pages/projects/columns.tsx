import { to } from '../../client/address.ts';
import { apiResponse, type Dataset, type Project } from '../../client/api.ts';
import { formatSize } from '../../client/format.ts';
import { account, tenant } from '../../client/session.ts';
import type { IconName } from '../../parts/icons.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Tag } from '../../parts/page-head.tsx';
import type { Column } from '../../parts/table.tsx';
import { actionsColumn } from '../../parts/table.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { DRAGGED } from '../../parts/tree.tsx';
import { When } from '../../parts/when.tsx';
import { kindName } from '../../texts/formats.ts';
import { projectTexts as words } from '../../texts/projects.ts';
import { texts } from '../../texts.ts';
import { DATASET, deleteDataset, deleteProject, moveItem, renameDataset, renameProject } from './actions.tsx';

/** A row of the contents of a project. */
export type Item = { kind: 'project'; value: Project } | { kind: 'dataset'; value: Dataset };

/** What a node of the tree gets when the row of a project or dataset is dragged onto it. */
export const draggedItem = ({ kind, value: { id } }: Item) => ({
  type: DRAGGED,
  data: kind === 'dataset' ? DATASET + id : id,
});

export const asProject = (value: Project): Item => ({ kind: 'project', value });

/** The reader's role in a project; Owners of the tenant have it without being members. */
export function roleIn({ members, accessLevel }: Project): string | undefined {
  const own = members.find(({ userId }) => userId === account.value?.userId)?.role;
  if (own !== undefined) return texts.roles[own];
  if (tenant.value?.role === 'Owner' && accessLevel !== 'Confidential') return texts.roles.Owner;
  return accessLevel === 'Shared' ? texts.roles.Reader : undefined;
}

export const Level = ({ level }: { level: string }) => (
  <Tag icon={level === 'Shared' ? 'people' : 'lock'}>{words.level[level] ?? level}</Tag>
);

const ICONS: [RegExp, IconName][] = [
  [/^project$/, 'folder'],
  [/timeseries|series/i, 'line'],
  [/gis|feature|vector/i, 'features'],
  [/tile|raster|grid/i, 'grid'],
  [/multidimensional|mesh|array/i, 'mesh'],
];
const iconOf = (kind: string): IconName => ICONS.find(([pattern]) => pattern.test(kind))?.[1] ?? 'list';

const projectPicture = ({ id, rowVersion, hasThumbnail }: Project) => (
  <Thumbnail
    id={`${id} ${rowVersion}`}
    icon="folder"
    load={
      hasThumbnail
        ? () => apiResponse('GET /api/metadata/project/{id}/thumbnail', { params: { id }, headers: { accept: '*/*' } })
        : undefined
    }
  />
);

const datasetPicture = ({ id, rowVersion, datasetType, hasThumbnail }: Dataset) => (
  <Thumbnail
    id={`${id} ${rowVersion}`}
    icon={iconOf(datasetType)}
    load={
      hasThumbnail
        ? () =>
            apiResponse('GET /api/metadata/dataset/{id}/thumbnail', {
              params: { id },
              query: { size: 128 },
              headers: { accept: '*/*' },
            })
        : undefined
    }
  />
);

export const pictureColumn: Column<Item> = {
  key: 'picture',
  title: words.picture,
  hiddenTitle: true,
  narrow: true,
  phone: 'picture',
  cell: ({ kind, value }) => (kind === 'project' ? projectPicture(value) : datasetPicture(value)),
};

export const nameColumn: Column<Item> = {
  key: 'name',
  title: words.name,
  sortable: true,
  cell: ({ kind, value }) => (
    <>
      <a class="name" href={to(`/${kind}s/${value.id}`)} draggable={false}>
        {value.name}
      </a>
      {value.description && <div class="small quiet clipped">{value.description}</div>}
    </>
  ),
};

export const changedColumn: Column<Item> = {
  key: 'changed',
  title: words.changed,
  sortable: true,
  phone: 'quiet',
  cell: ({ value }) => <When at={value.updatedAt} quiet />,
};

export const contentColumn: Column<Item> = {
  key: 'content',
  title: words.content,
  phone: 'quiet',
  cell: ({ kind, value }) => <span class="quiet">{kind === 'project' ? words.folder : kindName(value)}</span>,
};

export const sizeColumn: Column<Item> = {
  key: 'size',
  title: words.size,
  number: true,
  sortable: true,
  phone: 'quiet',
  cell: ({ kind, value }) => (kind === 'dataset' && value.storageSize > 0 ? formatSize(value.storageSize) : ''),
};

export const roleColumn: Column<Item> = {
  key: 'role',
  title: words.role,
  phone: 'quiet',
  cell: ({ kind, value }) => (kind === 'project' ? roleIn(value) : ''),
};

export const levelColumn: Column<Item> = {
  key: 'level',
  title: words.access,
  phone: 'hide',
  cell: ({ kind, value }) => (kind === 'project' ? <Level level={value.accessLevel} /> : ''),
};

/** @param parent whose rights apply to datasets */
export const actionColumn = (parent?: Project): Column<Item> =>
  actionsColumn((item) => <ItemMenu item={item} parent={parent} />);

function ItemMenu({ item: { kind, value }, parent }: { item: Item; parent: Project | undefined }) {
  const { canEdit, canDelete } =
    kind === 'project'
      ? value.capabilities
      : {
          canEdit: parent?.capabilities.canUpdateContent === true,
          canDelete: parent?.capabilities.canDeleteContent === true,
        };
  const rename = () => (kind === 'project' ? renameProject(value) : renameDataset(value));
  const remove = () => (kind === 'project' ? deleteProject(value, parent?.id) : deleteDataset(value));
  return (
    <Menu
      label={texts.actionsFor(value.name)}
      small
      items={[
        { name: texts.open, icon: 'arrow', href: to(`/${kind}s/${value.id}`) },
        canEdit && { name: texts.rename, icon: 'edit', run: rename },
        canDelete && { name: texts.move, icon: 'move', run: () => moveItem(kind, value, parent?.id) },
        canDelete && { name: texts.delete, icon: 'bin', bad: true, line: true, run: remove },
      ]}
    />
  );
}
