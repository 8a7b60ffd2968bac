" The list of a review, and a report: warnings, the words that a change came from, and its lines in other files.
if exists('b:current_syntax')
  finish
endif
syntax match memoryLsWarning /^! .*/
syntax match memoryLsWarning /^    unverified: .*/
syntax match memoryLsQuote /“.*”/
syntax match memoryLsAdded /^    .\{-}\.md: +.*/
syntax match memoryLsRemoved /^    .\{-}\.md: -.*/
syntax match memoryLsHeading /^\(Skipped\|Dropped\)$/
highlight default link memoryLsWarning DiagnosticWarn
highlight default link memoryLsQuote String
highlight default link memoryLsAdded Added
highlight default link memoryLsRemoved Removed
highlight default link memoryLsHeading Title
let b:current_syntax = 'memory-ls-review'
