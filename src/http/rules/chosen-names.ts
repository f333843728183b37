import { hasBidiControls, NO_BIDI_CONTROLS } from 'hydrofiles/text';
import { z } from 'zod';

/** Why a name that somebody chooses is refused, to be put behind the member's name. Undefined if it is not. */
export const wrongChosenName = (name: string): string | undefined =>
  hasBidiControls(name) ? NO_BIDI_CONTROLS : undefined;

/** A text by which people recognize something, such as a name, a company or a tag. */
export const chosenName = (form: z.ZodString = z.string().trim().min(1).max(255)) =>
  form.superRefine((name, context) => {
    const message = wrongChosenName(name);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
