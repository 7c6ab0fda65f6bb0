import { memo } from 'react';
import { Decoration, Diff, Hunk, type RenderGutter, type RenderToken } from 'react-diff-view';
import 'react-diff-view/style/index.css';
import { toTitle, type PatchView } from './read-patch.ts';
import styles from './diff-table.module.css';

type Props = {
  path: string;
  patch: PatchView;
  renderGutter?: RenderGutter;
};

/** The changes of one file, in one column or with the two sides next to each other. */
export const DiffTable = memo(({ path, patch: { viewType, hunks, tokens }, ...rest }: Props) => (
  <Diff
    className={styles['table'] ?? ''}
    diffType="modify"
    viewType={viewType}
    hunks={hunks}
    tokens={tokens}
    renderToken={renderToken}
    {...rest}
  >
    {(shown) => [
      <caption key="name" className="sr">
        Changes of {path}
      </caption>,
      ...shown.flatMap((hunk, index) => [
        ...(toTitle(hunk) === '' ? [] : [<Decoration key={`title ${index}`}>{toTitle(hunk)}</Decoration>]),
        <Hunk key={index} hunk={hunk} />,
      ]),
    ]}
  </Diff>
));

const renderToken: RenderToken = (token, renderDefault, index) => {
  const Mark = token.type;
  return Mark === 'ins' || Mark === 'del' ? (
    <Mark key={index}>{String(token['value'])}</Mark>
  ) : (
    renderDefault(token, index)
  );
};
