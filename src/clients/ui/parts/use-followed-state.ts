import { useState } from 'react';
import { isSame } from './use-draft.ts';

/**
 * A state that a person edits, and that is read again when its source changes: the fields of a filter in the URL, for
 * example, which keep the focus that they would lose as another form.
 */
export function useFollowedState<Source, State>(
  source: Source,
  readState: (source: Source) => State,
): [State, (next: State) => void] {
  const [state, setState] = useState(() => readState(source));
  const [last, setLast] = useState(source);
  if (!isSame(source, last)) {
    setLast(source);
    setState(readState(source));
  }
  return [state, setState];
}
