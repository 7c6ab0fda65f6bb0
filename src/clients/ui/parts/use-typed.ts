import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * A text that a person types about something, which stays while other pages are open, until it is sent. A sign-in
 * clears the cache, so that the next person does not get it.
 */
export function useTyped(about: string): [text: string, set: (text: string) => void] {
  const queryClient = useQueryClient();
  const queryKey = ['typed', about];
  const [text, setText] = useState(() => queryClient.getQueryData<string>(queryKey) ?? '');
  const set = (next: string): void => {
    setText(next);
    queryClient.setQueryData(queryKey, next);
  };
  return [text, set];
}
