import { Suspense, type ReactNode } from 'react';
import { Form, SaveFoot } from './form.tsx';
import { lazyPart } from './lazy-file.ts';
import type { SettingsDraft } from './use-draft.ts';

const Conflict = lazyPart(async () => (await import('./conflict.tsx')).Conflict);
const Unsaved = lazyPart(async () => (await import('./unsaved.tsx')).Unsaved);

type Saving = { error: Error | null; isPending: boolean; isSuccess: boolean; mutate: () => void; reset: () => void };
type Foot = { blocked: string | undefined; discard: () => void };

type DraftFormProps<T> = {
  label: string;
  draft: Pick<SettingsDraft<T>, 'value' | 'current' | 'isDirty' | 'isOutdated' | 'discard' | 'keepMine'>;
  saving: Saving;
  /** Whether the form can be submitted. A form that tests the saved settings always can. */
  canSend?: boolean;
  /** Returns the part of the settings to compare when another person changed them. */
  toShown?: (value: T) => unknown;
  saveText?: string;
  /** Why the person may not save. */
  why?: string | undefined;
  /** Why what was typed cannot be saved yet. */
  blocked?: string | undefined;
  /** Resets what the form keeps of its own. */
  onDiscard?: () => void;
  /** Replaces the buttons. */
  foot?: (state: Foot) => ReactNode;
  children: ReactNode;
};

/**
 * A form over saved settings. A person who leaves the page is asked first, and settings that another person saved
 * during the edit are shown next to it.
 */
export function DraftForm<T>({
  label,
  draft,
  saving,
  canSend = draft.isDirty,
  toShown = (value) => value,
  saveText = 'Save',
  why,
  blocked: blockedByValue,
  onDiscard,
  foot,
  children,
}: DraftFormProps<T>) {
  const { isDirty, isOutdated } = draft;
  const blocked = isOutdated ? 'Choose a version above.' : blockedByValue;
  const discard = (): void => {
    draft.discard();
    saving.reset();
    onDiscard?.();
  };
  const keepMine = (): void => {
    draft.keepMine();
    saving.reset();
  };
  return (
    <>
      <Suspense>
        <Unsaved isDirty={isDirty} />
        {isOutdated && (
          <Conflict
            theirs={toShown(draft.current)}
            mine={toShown(draft.value)}
            onTakeTheirs={discard}
            onKeepMine={keepMine}
          />
        )}
      </Suspense>
      <Form
        label={label}
        error={isOutdated ? null : saving.error}
        why={why}
        onSubmit={() => {
          if (canSend && blocked === undefined && !saving.isPending) saving.mutate();
        }}
        foot={
          foot?.({ blocked, discard }) ?? (
            <SaveFoot
              draft={{ isDirty: canSend, discard }}
              saving={saving}
              label={saveText}
              why={why}
              blocked={blocked}
            />
          )
        }
      >
        {children}
      </Form>
    </>
  );
}
