import { useMutation } from '@tanstack/react-query';
import { isSame, type SettingsDraft } from './use-draft.ts';

type Save<T, Saved> = {
  draft: SettingsDraft<T>;
  save: (value: T, version: string) => Promise<Saved>;
  /** Reads from the response what the draft edits. */
  read: (saved: Saved) => { value: T; version: string };
  /** `isWhole` is false when the person has typed more since the request began. */
  onSaved: (saved: Saved, isWhole: boolean) => void;
  onError?: (error: Error) => void;
};

/** Saves a draft. What the person types while the request is in progress stays, as an edit of what was saved. */
export const useSaveDraft = <T, Saved>({ draft, save, read, onSaved, onError }: Save<T, Saved>) =>
  useMutation({
    mutationFn: async () => ({ sent: draft.value, saved: await save(draft.value, draft.version) }),
    onSuccess: ({ sent, saved }) => {
      draft.settle(sent, read(saved));
      onSaved(saved, isSame(draft.value, sent));
    },
    ...(onError && { onError }),
  });
