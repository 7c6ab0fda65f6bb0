import { Suspense, useState, type ReactNode } from 'react';
import { isStale } from '../../api/preconditions.ts';
import { ApiProblem } from '../../api/request.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { Problem } from '../../api/types.ts';
import field from '../../parts/field.module.css';
import { DraftForm } from '../../parts/draft-form.tsx';
import { Section, Skeleton } from '../../parts/page.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useSaveDraft } from '../../parts/use-save-draft.ts';
import type { YamlEdit } from '../../parts/yaml-editor.tsx';
import { findRefusal } from '../../parts/find-refusal.ts';
import { trimSpec } from './trim-spec.ts';
import { lazyPart } from '../../parts/lazy-file.ts';

const YamlEditor = lazyPart(async () => (await import('../../parts/yaml-editor.tsx')).YamlEditor);

export type View = 'form' | 'yaml';
type Resource<Spec> = { name: string; spec: Spec; generation: number; actions: Schemas['Action'][] };

/** Edits the spec of a resource, as a form or as YAML: two views of one document that is saved as a whole. */
export function DocumentEditor<Spec extends object>({
  resource,
  action,
  view,
  onView,
  isSpec,
  save,
  onSaved,
  onOutdated,
  children,
}: {
  resource: Resource<Spec>;
  /** The operation that saves it. */
  action: string;
  view: View;
  onView: (view: View) => void;
  /** Whether a document that was typed has the shape that the form needs. */
  isSpec: (value: unknown) => value is Spec;
  save: (body: { spec: Spec; generation: number }) => Promise<Resource<Spec>>;
  onSaved: (saved: Resource<Spec>) => void;
  onOutdated: () => void;
  children: (value: Spec, set: (value: Spec) => void, errors: Problem['errors']) => ReactNode;
}) {
  const draft = useDraft<Spec>(resource.spec, String(resource.generation));
  const [edit, setEdit] = useState<YamlEdit>();
  const saving = useSaveDraft({
    draft,
    save: async (typed, version) => ({
      saved: await save({ spec: trimSpec(typed), generation: Number(version) }),
      text: edit,
    }),
    read: ({ saved }) => ({ value: saved.spec, version: String(saved.generation) }),
    onSaved: ({ saved, text }) => {
      setEdit((latest) => (latest === text ? undefined : latest));
      onSaved(saved);
    },
    onError: (error) => {
      if (isStale(error)) onOutdated();
    },
  });
  const why = findRefusal(resource.actions, action);
  const syntaxError = edit?.error;
  const errors = saving.error instanceof ApiProblem ? saving.error.errors : [];
  const isDirty = draft.isDirty || syntaxError !== undefined;
  return (
    <Section
      id="definition"
      title="Definition"
      note="Saved as a whole; what has started keeps its copy"
      aside={
        <span className={field['seg']} role="group" aria-label="View of the definition">
          {(['form', 'yaml'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={view === each} onClick={() => onView(each)}>
              {each === 'form' ? 'Form' : 'YAML'}
            </button>
          ))}
        </span>
      }
    >
      <DraftForm
        label={`Definition of ${resource.name}`}
        draft={{ ...draft, isDirty }}
        saving={saving}
        why={why}
        blocked={syntaxError === undefined ? undefined : 'The YAML cannot be read. Correct it first.'}
        onDiscard={() => setEdit(undefined)}
      >
        {view === 'yaml' ? (
          <Suspense fallback={<Skeleton />}>
            <YamlEditor
              label={`${resource.name} as YAML`}
              value={draft.value}
              edit={edit}
              errors={errors}
              root="/spec"
              onEdit={(next) => {
                setEdit(next);
                if (next.error === undefined) draft.set(next.value as Spec);
              }}
            />
          </Suspense>
        ) : syntaxError === undefined && isSpec(draft.value) ? (
          children(draft.value, draft.set, errors)
        ) : (
          <p>The YAML that you typed cannot be shown as a form. Correct it in the view YAML, or discard it.</p>
        )}
      </DraftForm>
    </Section>
  );
}
