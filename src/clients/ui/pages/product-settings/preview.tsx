import { useEffect, useRef } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { Section } from '../../parts/page.tsx';
import { Patch } from '../../parts/patch.tsx';
import styles from './product-settings.module.css';

/** The changes of the values files and of the alert rules that the settings would write. They take the focus to be read. */
export function Preview({ preview: { files, alertRules } }: { preview: Schemas['ValuesPreview'] }) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.focus(), []);
  return (
    <div ref={shown} tabIndex={-1} role="group" aria-labelledby="preview">
      <Section id="preview" title="What saving changes" note="Each zone gets a commit in the gitops repo">
        {files.length === 0 && (
          <p className="dim" role="status">
            No file of the gitops repo changes. {alertRules ? 'The alert rules do.' : 'Only this Product does.'}
          </p>
        )}
        {files.map(({ zone, repo, path, patch }) => (
          <div key={`${zone} ${path}`} className={styles['file']}>
            <p>
              <b>{zone}</b> <span className="dim">in {repo}</span>
            </p>
            <Patch path={path} patch={patch} />
          </div>
        ))}
        {alertRules && (
          <div className={styles['file']}>
            <p>
              <b>Alert rules</b> <span className="dim">for Prometheus, as the PrometheusRule {alertRules.name}</span>
            </p>
            <Patch path={`${alertRules.name}.yaml`} patch={alertRules.patch} />
          </div>
        )}
      </Section>
    </div>
  );
}
