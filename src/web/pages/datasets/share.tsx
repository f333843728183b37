import { useState } from 'preact/hooks';
import { api, type Dataset, type NewShareBody, type Share } from '../../client/api.ts';
import { count, parseTime } from '../../client/format.ts';
import { refresh, useList } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { When } from '../../parts/when.tsx';
import { exportTexts as words } from '../../texts/dataset-pages.ts';
import { texts } from '../../texts.ts';

const DAYS = [7, 30, 90, 365];
const DAY_MS = 86_400_000;

/** Links to a dataset, and a form that makes one. */
export function openShares(dataset: Pick<Dataset, 'id' | 'name'>): void {
  openDialog((close) => <ShareDialog dataset={dataset} close={close} />);
}

function ShareDialog({ dataset: { id, name }, close }: { dataset: Pick<Dataset, 'id' | 'name'>; close: () => void }) {
  const [label, setLabel] = useState('');
  const [days, setDays] = useState('30');
  const [downloads, setDownloads] = useState('None');
  const [address, setAddress] = useState<string>();
  const shares = useList(`shares ${id}`, async (query, signal) => {
    const { data } = await api('GET /api/metadata/dataset/{id}/share', { params: { id }, query, signal });
    return data;
  });
  async function make() {
    const expiresAt = new Date(Date.now() + Number(days) * DAY_MS - 60_000).toISOString();
    const body: NewShareBody = {
      ...(label.trim() && { name: label.trim() }),
      expiresAt,
      downloads: downloads as NonNullable<NewShareBody['downloads']>,
    };
    const { url } = await api('POST /api/metadata/dataset/{id}/share', { params: { id }, body });
    setAddress(url);
    setLabel('');
    refresh(`shares ${id}`);
  }
  return (
    <Dialog title={words.shareTitle(name)} onClose={close} wide>
      <div class="stack">
        {address !== undefined && <Secret label={words.address} value={address} />}
        <EntryForm submit={words.makeLink} onSubmit={make}>
          {({ fields }) => (
            <>
              <Field
                label={words.linkName}
                value={label}
                onInput={setLabel}
                hint={words.linkNameHint}
                error={fields.name}
                optional
              />
              <div class="columns">
                <Field
                  label={words.expires}
                  value={days}
                  onInput={setDays}
                  options={DAYS.map((one) => ({ value: String(one), name: words.days(one) }))}
                  error={fields.expiresAt}
                />
                <Field
                  label={words.downloads}
                  value={downloads}
                  onInput={setDownloads}
                  options={Object.entries(words.allowed).map(([value, text]) => ({ value, name: text }))}
                  error={fields.downloads}
                />
              </div>
            </>
          )}
        </EntryForm>
        <h3>{words.links}</h3>
        <Loaded query={shares}>
          {(rows) => (rows.length === 0 ? <p class="quiet">{words.noLinks}</p> : <Links rows={rows} datasetId={id} />)}
        </Loaded>
      </div>
    </Dialog>
  );
}

function Links({ rows, datasetId }: { rows: readonly Share[]; datasetId: string }) {
  async function end({ id }: Share) {
    await api('DELETE /api/metadata/share/{shareId}', { params: { shareId: id } });
    refresh(`shares ${datasetId}`);
    toast(words.endedNow);
  }
  const stateOf = ({ endedAt, expiresAt }: Share) => {
    if (endedAt !== undefined) return words.ended;
    return parseTime(expiresAt).getTime() < Date.now() ? words.expired : undefined;
  };
  return (
    <Table
      label={words.links}
      rows={rows}
      id={({ id }) => id}
      columns={[
        { key: 'name', title: words.link, cell: ({ name }) => name ?? <span class="quiet">{words.unnamed}</span> },
        {
          key: 'until',
          title: words.until,
          phoneLabel: words.until,
          cell: (share) => <When at={share.expiresAt} />,
        },
        { key: 'downloads', title: texts.download, cell: ({ downloads }) => words.allowed[downloads] ?? downloads },
        { key: 'opens', title: words.opens, number: true, cell: ({ opens }) => count(opens, 'time') },
        {
          key: 'end',
          title: words.end,
          hiddenTitle: true,
          narrow: true,
          cell: (share) =>
            stateOf(share) ?? (
              <Button small kind="bad" label={words.endOf(share.name ?? words.unnamed)} onClick={() => end(share)}>
                {words.end}
              </Button>
            ),
        },
      ]}
    />
  );
}
