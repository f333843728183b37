import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { openDialog } from './dialog.tsx';

/** The main button of a list, which opens the dialog of a new thing. */
export const CreateButton = ({
  children,
  dialog,
}: {
  children: string;
  dialog: (close: () => void) => ComponentChildren;
}) => (
  <Button kind="main" icon="plus" onClick={() => void openDialog(dialog)}>
    {children}
  </Button>
);
