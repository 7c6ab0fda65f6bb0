import { useEffect, useRef, useState, type ComponentProps } from 'react';
import field from './field.module.css';

/**
 * A search field whose text the URL holds. With `isFurther`, the text replaces the history entry of an earlier search.
 */
export function SearchInput({
  words,
  onSearch,
  className = '',
  ...props
}: { words: string; onSearch: (words: string, isFurther: boolean) => void } & Omit<
  ComponentProps<'input'>,
  'value' | 'onChange'
>) {
  const [text, setText] = useState(words);
  // The URL lags behind the typing, so it may still hold earlier text.
  const typed = useRef<string[]>([]);
  useEffect(() => {
    if (typed.current.slice(0, -1).includes(words)) return;
    typed.current = [];
    setText(words);
  }, [words]);
  return (
    <input
      type="search"
      className={`${field['input']} ${className}`}
      {...props}
      value={text}
      onChange={({ target: { value } }) => {
        typed.current.push(value);
        setText(value);
        onSearch(value, text !== '');
      }}
    />
  );
}
