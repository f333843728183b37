import { useState } from 'preact/hooks';
import { api } from '../../client/api.ts';
import { useQuery } from '../../client/query.ts';
import { tenant } from '../../client/session.ts';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { EntryForm } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Tree, type TreeNode } from '../../parts/tree.tsx';
import { MOST_NODES, Subprojects } from './subprojects.tsx';

interface Choice {
  title: string;
  /** What is chosen. */
  text: string;
  /** Name of the button. */
  action: string;
  /** Ids of projects that are no answer. */
  not?: readonly (string | undefined)[];
  /** A refusal is shown in the dialog. */
  run: (project: { id: string; name: string }) => unknown;
}

/** Asks for a project or folder of the tenant. */
export function chooseProject(choice: Choice): void {
  openDialog((close) => <ChooseDialog {...choice} close={close} />);
}

function ChooseDialog({ title, text, action, not = [], run, close }: Choice & { close: () => void }) {
  const [target, setTarget] = useState<TreeNode>();
  const roots = useQuery(`projects targets ${tenant.value?.id}`, (signal) =>
    api('GET /api/metadata/project/list', { query: { limit: MOST_NODES }, signal }),
  );
  return (
    <Dialog title={title} onClose={close}>
      <EntryForm
        submit={action}
        onCancel={close}
        disabled={target === undefined || not.includes(target.id)}
        onSubmit={async () => {
          await run(target!);
          close();
        }}
      >
        {() => (
          <Loaded query={roots}>
            {({ data }) => (
              <>
                <p class="quiet">{text}</p>
                <Tree
                  label={text}
                  nodes={data.map(({ id, name }) => ({ id, name, folder: true }))}
                  Children={Subprojects}
                  chosen={{ id: target?.id, choose: setTarget }}
                />
              </>
            )}
          </Loaded>
        )}
      </EntryForm>
    </Dialog>
  );
}
