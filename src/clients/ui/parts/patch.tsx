import { useMemo } from 'react';
import { parsePatch, type PatchLine } from './parse-patch.ts';
import styles from './patch.module.css';

const signs: Record<PatchLine['kind'], string> = { same: '', add: '+', del: '−', gap: '' };
const words: Partial<Record<PatchLine['kind'], string>> = { add: 'Added: ', del: 'Removed: ' };

/** The changes of one small file, with the changed words marked. */
export function Patch({ path, patch }: { path: string; patch: string }) {
  const lines = useMemo(() => parsePatch(patch), [patch]);
  const count = (kind: PatchLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return (
    <div className={styles['patch']}>
      <header>
        <span className="mono small clip" title={path}>
          {path}
        </span>
        <span className="push num small">
          <span className={styles['plus']}>+{count('add')}</span>{' '}
          <span className={styles['minus']}>−{count('del')}</span>
        </span>
      </header>
      <table aria-label={`Changes of ${path}`}>
        <tbody>
          {lines.map(({ kind, number, parts }, index) => (
            <tr key={index} className={styles[kind]}>
              <td className={styles['number']}>{kind === 'gap' ? '' : number}</td>
              <td className={styles['sign']} aria-hidden="true">
                {signs[kind]}
              </td>
              <td>
                {words[kind] && <span className="sr">{words[kind]}</span>}
                {parts.map((part, at) => (at % 2 === 0 ? part : <Mark key={at} kind={kind} text={part} />))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Mark = ({ kind, text }: { kind: PatchLine['kind']; text: string }) =>
  kind === 'add' ? <ins>{text}</ins> : <del>{text}</del>;
