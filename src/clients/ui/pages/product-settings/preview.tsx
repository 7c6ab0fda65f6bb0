import type { Schemas } from '../../api/generated/openapi.ts';
import { Section } from '../../parts/page.tsx';
import { Patch } from '../../parts/patch.tsx';
import styles from './product-settings.module.css';

type File = Schemas['ValuesPreview']['files'][number];

/** The changes of the values files that the settings would write. */
export const Preview = ({ files }: { files: File[] }) => (
  <Section id="preview" title="What saving changes" note="Each zone gets a commit in the gitops repo">
    {files.length === 0 && (
      <p className="dim" role="status">
        No file of the gitops repo changes. Only this Product does.
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
  </Section>
);
