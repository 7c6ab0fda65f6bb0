import { useState } from 'react';
import { Button } from './button.tsx';
import { TextField } from './form-fields.tsx';
import { Form } from './form.tsx';

type Props = {
  label: string;
  /** The text of the button. */
  action: string;
  /** A person has to type exactly this. */
  word: string;
  /** Asks for the word while it is not typed. */
  request: string;
  hint?: string;
  pointer?: string;
  /** Why the caller may not do it. */
  why: string | undefined;
  error: Error | null;
  busy: boolean;
  onConfirm: () => void;
};

/** Asks for a typed word before an action that cannot be undone. */
export function TypedConfirmation({ label, action, word, request, hint, pointer, why, error, busy, onConfirm }: Props) {
  const [typed, setTyped] = useState('');
  const isTyped = typed === word;
  return (
    <Form
      label={label}
      error={error}
      why={why}
      onSubmit={() => !isTyped || busy || onConfirm()}
      foot={
        <Button look="danger" type="submit" busy={busy} why={why ?? (isTyped ? undefined : request)}>
          {action}
        </Button>
      }
    >
      <TextField
        label={`Type ${word} to confirm`}
        hint={hint}
        {...(pointer !== undefined && { pointer })}
        value={typed}
        spellCheck={false}
        onChange={setTyped}
      />
    </Form>
  );
}
