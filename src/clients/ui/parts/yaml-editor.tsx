import { useId, useRef } from 'react';
import { isNode, LineCounter, parseDocument, stringify, type Document } from 'yaml';
import type { Problem } from '../api/types.ts';
import { listYamlProblems } from './list-yaml-problems.ts';
import { isSame } from './use-draft.ts';
import styles from './form.module.css';
import problem from './problem.module.css';

/** A text that was typed, the value that it was read as, and why it cannot be read. */
export type YamlEdit = { text: string; value: unknown; error?: string };

/** Edits a value as YAML. What is typed is kept by the page, so that it survives another view of the value. */
export function YamlEditor({
  label,
  value,
  edit,
  errors,
  root,
  onEdit,
}: {
  label: string;
  value: unknown;
  edit: YamlEdit | undefined;
  /** The errors of the API, which point into the value below `root`. */
  errors: Problem['errors'];
  root: string;
  onEdit: (edit: YamlEdit) => void;
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const text = edit && isSame(edit.value, value) ? edit.text : stringify(value);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const found = [
    ...listYamlProblems(document),
    ...errors.map(({ pointer, detail }) => ({ detail, at: findOffset(document, pointer.slice(root.length)) })),
  ];
  const change = (next: string): void => {
    const parsed = parseDocument(next);
    const [problem] = listYamlProblems(parsed);
    onEdit(problem ? { text: next, value, error: problem.detail } : { text: next, value: parsed.toJS() as unknown });
  };
  const show = (at: number): void => {
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };
  return (
    <div>
      <label className="sr" htmlFor={id}>
        {label}
      </label>
      <textarea
        ref={area}
        id={id}
        className={styles['code']}
        rows={Math.max(12, Math.min(40, text.split('\n').length + 1))}
        spellCheck={false}
        wrap="off"
        value={text}
        aria-invalid={found.length > 0 || undefined}
        aria-describedby={`${id}-errors`}
        onChange={(event) => change(event.target.value)}
      />
      <ul id={`${id}-errors`} className={problem['errors']}>
        {found.map(({ detail, at }) => (
          <li key={`${at} ${detail}`}>
            <button type="button" className={styles['jump']} onClick={() => show(at)}>
              Line {lines.linePos(at).line}
            </button>{' '}
            {detail}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Finds where a JSON pointer leads in the text; a field that is missing is at what should contain it. */
function findOffset(document: Document.Parsed, pointer: string): number {
  const path = pointer.split('/').slice(1);
  for (let length = path.length; length > 0; length -= 1) {
    const keys = path.slice(0, length).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const node = document.getIn(keys, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
