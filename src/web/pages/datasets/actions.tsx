import { go } from '../../app/router.ts';
import { api, type Capabilities, type Dataset } from '../../client/api.ts';
import { Button } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { useNarrow } from '../../parts/narrow.ts';
import { exportTexts as words } from '../../texts/dataset-pages.ts';
import { texts } from '../../texts.ts';
import { deleteDataset, moveItem, renameDataset } from '../projects/actions.tsx';
import { openExport } from './export.tsx';
import { openShares } from './share.tsx';

/** What the head of a dataset offers; on a phone in one row, so that the map begins above the fold. */
export function Actions({ dataset, rights }: { dataset: Dataset; rights: Capabilities | undefined }) {
  const { id, projectId, name } = dataset;
  const narrow = useNarrow();
  const convert = () => openExport('convert', dataset);
  const exportIt = () => openExport('export', dataset);
  async function remove() {
    await deleteDataset(dataset);
    go(`/projects/${projectId}`);
  }
  async function download() {
    const { data } = await api('GET /api/raw/dataset/{id}', { params: { id }, query: { downloadFileName: name } });
    const link = document.createElement('a');
    link.href = data;
    link.download = '';
    link.click();
  }
  return (
    <>
      {rights?.canGrantAccess && (
        <Button icon="share" onClick={() => openShares(dataset)}>
          {words.share}
        </Button>
      )}
      {rights?.canCreateContent && !narrow && (
        <Button icon="transfer" onClick={convert}>
          {words.convert}
        </Button>
      )}
      {!narrow && (
        <Button icon="out" onClick={exportIt}>
          {words.export}
        </Button>
      )}
      <Menu
        label={texts.actionsFor(name)}
        items={[
          narrow && rights?.canCreateContent && { name: words.convert, icon: 'transfer', run: convert },
          narrow && { name: words.export, icon: 'out', run: exportIt },
          rights?.canUpdateContent && {
            name: texts.rename,
            icon: 'edit',
            line: narrow,
            run: () => renameDataset(dataset),
          },
          rights?.canDeleteContent && {
            name: texts.move,
            icon: 'move',
            run: () => moveItem('dataset', dataset, projectId),
          },
          rights?.canDeleteContent && { name: texts.delete, icon: 'bin', bad: true, line: true, run: remove },
        ]}
      />
      <Button kind="main" icon="download" onClick={download}>
        {texts.download}
      </Button>
    </>
  );
}
