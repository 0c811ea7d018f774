//! The context of the textbook searches: evaluator, triangular PV table and the search state ([`SearchCore`]).

use std::ops::{Deref, DerefMut};

use crate::search::pv_table::PvTable;
use crate::search::search_core::SearchCore;
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// The context of a textbook search.
pub struct TextbookContext<'a, E> {
    /// Evaluates leaves.
    pub evaluator: &'a E,
    /// The PV from each ply.
    pub pv: PvTable,
    core: SearchCore<'a>,
}

impl<'a, E> TextbookContext<'a, E> {
    /// A context without trace and limits; only the stop flag ends the search.
    pub fn new(evaluator: &'a E, table: Option<&'a Table>, control: &'a SearchControl) -> Self {
        TextbookContext { evaluator, pv: PvTable::default(), core: SearchCore::new(table, control) }
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
