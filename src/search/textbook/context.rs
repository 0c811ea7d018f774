//! The context of the textbook searches: evaluator, principal variation, and the state of every search.

use std::ops::{Deref, DerefMut};

use crate::search::pv_table::PvTable;
use crate::search::search_core::SearchCore;
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// The context of a textbook search.
pub struct TextbookContext<'a, E> {
    /// The evaluator of leaves.
    pub evaluator: &'a E,
    /// The principal variations found.
    pub lines: PvTable,
    core: SearchCore<'a>,
}

impl<'a, E> TextbookContext<'a, E> {
    /// A context without trace and limits: only the stop flag ends the search.
    pub fn new(evaluator: &'a E, table: Option<&'a Table>, control: &'a SearchControl) -> Self {
        TextbookContext { evaluator, lines: PvTable::default(), core: SearchCore::new(table, control) }
    }
}

impl<'a, E> Deref for TextbookContext<'a, E> {
    type Target = SearchCore<'a>;

    #[inline(always)]
    fn deref(&self) -> &SearchCore<'a> {
        &self.core
    }
}

impl<E> DerefMut for TextbookContext<'_, E> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.core
    }
}
