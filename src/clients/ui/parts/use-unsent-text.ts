import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

type Write = (text: string) => void;

/**
 * A text that a person types about something, which stays while other pages are open, until it is sent. A form that
 * turns to something else copies it there. A form that has sent a text clears it, unless more was typed since. A
 * sign-in clears the cache, so that the next person does not get it.
 */
export function useUnsentText(about: string): [text: string, set: Write, copyTo: Write, clear: Write] {
  const queryClient = useQueryClient();
  const keep = (what: string, typed: string): void => void queryClient.setQueryData(['typed', what], typed);
  const [text, setText] = useState(() => queryClient.getQueryData<string>(['typed', about]) ?? '');
  const set = (next: string): void => {
    setText(next);
    keep(about, next);
  };
  const clear = (sent: string): void => {
    if (queryClient.getQueryData(['typed', about]) === sent) set('');
  };
  return [text, set, (other) => keep(other, text), clear];
}
